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

const LATE_S = 5;
const HALF_MS = 150_000;
const MOST = 5_000; // tenants that were here last; earlier ones are forgotten

/** What has ended since the last scrape: requests, and intents. Beyond `MOST_RECORDS` it counts for no tenant. */
export type EndedOfTenants = {
  requests: { owner: string; hasFailed: boolean }[];
  intents: { owner: string; kind: string; ending: string; seconds: number }[];
};

/** The tenants of about the last 5 minutes in this process: for how many each of these fails, and for how many it does not. */
export function tenantCounts(nowMs: () => number = () => performance.now()) {
  let [current, earlier, since] = [newCounts(), newCounts(), nowMs()];

  function turn(): void {
    const ageMs = nowMs() - since;
    if (ageMs < HALF_MS) return;
    [current, earlier, since] = [newCounts(), ageMs < 2 * HALF_MS ? current : newCounts(), nowMs()];
  }

  function note(of: Counted, tenant: string, hasFailed: boolean): void {
    const { all, failed } = current.get(`${of} ${tenant}`) ?? NONE;
    current.set(`${of} ${tenant}`, { all: all + 1, failed: failed + Number(hasFailed) }, { size: 1 });
  }

  function noteIntent({ owner, kind, ending, seconds }: EndedOfTenants['intents'][number]): void {
    note('expired', owner, ending === 'expired');
    const [venue] = kind.split('/', 1);
    if (venue !== 'network' && venue !== 'exchange') return;
    note(venue, owner, ending !== 'succeeded');
    note('late', owner, seconds > LATE_S);
  }

  /** Counts what has ended, and empties its lists. */
  return ({ requests, intents }: EndedOfTenants) => {
    turn();
    for (const { owner, hasFailed } of requests.splice(0)) note('requests', owner, hasFailed);
    for (const intent of intents.splice(0)) noteIntent(intent);
    const shares = [...new Set([...current.keys(), ...earlier.keys()])].map((name) => ({
      of: name.split(' ', 1)[0],
      part: partOf(current.get(name), earlier.get(name)),
    }));
    return Object.entries(FAILING_PART).map(([of, most]) => {
      const parts = shares.filter((each) => each.of === of).map(({ part }) => part);
      const failing = parts.filter((part) => part > most).length;
      return { of, failing, unharmed: parts.length - failing };
    });
  };
}

const NONE: Counts = { all: 0, failed: 0 };
const newCounts = () => new LRUCache<string, Counts>(mostEntries(MOST));
const partOf = (a = NONE, b = NONE): number => (a.failed + b.failed) / Math.max(1, a.all + b.all);
