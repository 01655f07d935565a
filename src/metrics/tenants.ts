import { LRUCache } from 'lru-cache';
import { mostEntries } from '../kernel/cache.ts';

/** What is counted of each tenant, and the part of it that has to fail until the tenant counts as one that it fails for. */
const FAILING_PART = {
  /** Requests with a server error, other than bugs of ours. */
  requests: 0.01,
  /** Verbs at a venue that end without success: a tenant's own orders may be wrong now and then. */
  network: 0.25,
  exchange: 0.25,
  /** Intents that expire unsent. */
  expired: 0.01,
  /** Verbs at a venue that take longer than 5 s. */
  late: 0.1,
} as const;

type Counted = keyof typeof FAILING_PART;
type Counts = { all: number; failed: number };

const HALF_MS = 150_000;
const MOST = 5_000; // tenants that were here last; earlier ones are forgotten

/** The tenants of about the last 5 minutes in this process: for how many each of these fails, and for how many it does not. */
export function tenantCounts(nowMs: () => number = () => performance.now()) {
  let [current, earlier, since] = [newCounts(), newCounts(), nowMs()];

  function turn(): void {
    const ageMs = nowMs() - since;
    if (ageMs < HALF_MS) return;
    [current, earlier, since] = [newCounts(), ageMs < 2 * HALF_MS ? current : newCounts(), nowMs()];
  }

  return {
    note(of: Counted, tenant: string, hasFailed: boolean): void {
      turn();
      const { all, failed } = current.get(`${of} ${tenant}`) ?? NONE;
      current.set(`${of} ${tenant}`, { all: all + 1, failed: failed + Number(hasFailed) }, { size: 1 });
    },
    read() {
      turn();
      const shares = [...new Set([...current.keys(), ...earlier.keys()])].map((name) => ({
        of: name.split(' ', 1)[0],
        part: partOf(current.get(name), earlier.get(name)),
      }));
      return Object.entries(FAILING_PART).map(([of, most]) => {
        const parts = shares.filter((each) => each.of === of).map(({ part }) => part);
        const failing = parts.filter((part) => part > most).length;
        return { of, failing, unharmed: parts.length - failing };
      });
    },
  };
}

const NONE: Counts = { all: 0, failed: 0 };
const newCounts = () => new LRUCache<string, Counts>(mostEntries(MOST));
const partOf = (a = NONE, b = NONE): number => (a.failed + b.failed) / Math.max(1, a.all + b.all);
