import { LRUCache } from 'lru-cache';
import type { components } from '../contract/types.ts';
import { mostEntries } from '../kernel/cache.ts';

/** The first part of the kinds of each venue's verbs. */
const KINDS_OF = { netvenue: 'network', exvenue: 'exchange' } as const satisfies Record<Venue, string>;
type Venue = components['schemas']['Venue'];
type VenueKind = (typeof KINDS_OF)[Venue];

/** What is counted of each tenant, and the part of it that has to fail until the tenant counts as one that it fails for. */
const FAILING_PART = {
  /** Requests with a server error, other than bugs of ours. */
  requests: 0.01,
  /** Verbs at a venue that end without success: a tenant's own orders may be wrong now and then. */
  ...({ network: 0.25, exchange: 0.25 } satisfies Record<VenueKind, number>),
  /** Intents that expire unsent. */
  expired: 0.01,
  /** Verbs at a venue that take longer than 5 s. */
  late: 0.1,
} as const;

type Counted = keyof typeof FAILING_PART;
type Counts = { all: number; failed: number };

const LATE_S = 5;
const HALF_MS = 150_000;
const MOST = 20_000; // operations of tenants that were here last; earlier ones are forgotten

/** What has ended since the last scrape: requests, and intents. Beyond `MOST_RECORDS` it counts for no tenant. */
export type EndedOfTenants = {
  requests: { owner: string; operation: string; hasFailed: boolean }[];
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

  /** `act`: the operation or the kind of the intent. */
  function note(of: Counted, act: string, { tenant, hasFailed }: { tenant: string; hasFailed: boolean }): void {
    const name = [of, act, tenant].join('\n');
    const { all, failed } = current.get(name) ?? NONE;
    current.set(name, { all: all + 1, failed: failed + Number(hasFailed) }, { size: 1 });
  }

  function noteIntent({ owner, kind, ending, seconds }: EndedOfTenants['intents'][number]): void {
    const count = (of: Counted, hasFailed: boolean) => note(of, kind, { tenant: owner, hasFailed });
    count('expired', ending === 'expired');
    const venue = Object.values(KINDS_OF).find((name) => kind.startsWith(`${name}/`));
    if (venue === undefined) return;
    count(venue, ending !== 'succeeded');
    count('late', seconds > LATE_S);
  }

  /**
   * Counts what has ended, and empties its lists. `unharmed` are those for which the acts succeed that fail for others: one that only reads says
   * nothing of orders.
   */
  return ({ requests, intents }: EndedOfTenants) => {
    turn();
    for (const { owner, operation, hasFailed } of requests.splice(0))
      note('requests', operation, { tenant: owner, hasFailed });
    for (const intent of intents.splice(0)) noteIntent(intent);
    const acts = [...new Set([...current.keys(), ...earlier.keys()])].map((name) => {
      const [of = '', act = '', tenant = ''] = name.split('\n');
      return { of, tenant, act, ...sumOf([current.get(name) ?? NONE, earlier.get(name) ?? NONE]) };
    });
    return Object.entries(FAILING_PART).map(([of, most]) => {
      const its = acts.filter((each) => each.of === of);
      const tenants = [...Map.groupBy(its, ({ tenant }) => tenant).values()];
      const isFailing = (acts: readonly Counts[]) => partOf(sumOf(acts)) > most;
      const failing = tenants.filter(isFailing);
      const failed = new Set(failing.flat().flatMap((each) => (each.failed > 0 ? each.act : [])));
      const isUnharmed = (each: Counts & { act: string }) =>
        partOf(each) <= most && (failing.length === 0 || failed.has(each.act));
      const others = tenants.filter((each) => !isFailing(each) && each.some(isUnharmed));
      return { of, failing: failing.length, unharmed: others.length };
    });
  };
}

const NONE: Counts = { all: 0, failed: 0 };
const newCounts = () => new LRUCache<string, Counts>(mostEntries(MOST));
const partOf = ({ all, failed }: Counts): number => failed / Math.max(1, all);
const sumOf = (counts: readonly Counts[]): Counts =>
  counts.reduce((sum, { all, failed }) => ({ all: sum.all + all, failed: sum.failed + failed }), NONE);
