/**
 * A waiting call: its rank (the lowest is served first), the tenant that it is for, what it costs, its place among the calls of its
 * tenant, and the turn of tenants since which it waits.
 */
export type Place = { rank: number; tenant: string; weight: number; turn: number; since: number };

/** The order of service among calls of one rank: tenants take turns by weight, and readers within their tenant. */
export type Turns = {
  /** The place of a new call. A reader that has been served a lot comes after the others of its tenant. */
  enter(call: { rank: number; tenant: string; reader: string; weight: number }): Place;
  /** The first `most` of the waiting calls, in the order in which they are to be served. */
  first<P extends Place>(waiting: readonly P[], most: number): P[];
  /** Notes that a call was served. */
  served(place: Place): void;
};

const MAX_KNOWN = 1_000; // the tenants, and readers of a tenant, that were served last; all others count as not served lately

/**
 * Self-clocked fair queueing on two levels: a tenant's calls follow each other at distances of their weights, starting at
 * the turn that was being served when the first of them came, and so do a reader's among those of its tenant. So a reader
 * of long histories does not delay one of single orders, and a tenant that reads for many traders, or for invented ones,
 * delays no other tenant.
 */
export const fairTurns = (): Turns => {
  const ranks = new Map<number, { tenants: Clock; readers: Map<string, Clock> }>();
  const ofRank = (rank: number) => {
    const known = ranks.get(rank) ?? { tenants: newClock(), readers: new Map<string, Clock>() };
    ranks.set(rank, known);
    return known;
  };
  const readersOf = (rank: number, tenant: string): Clock => {
    const { readers } = ofRank(rank);
    const known = readers.get(tenant) ?? newClock();
    keep(readers, tenant, known);
    return known;
  };

  /** Those of one rank: of the tenants' first calls, always the one whose tenant's turn would end first. */
  function ordered<P extends Place>(rank: number, waiting: readonly P[], most: number): P[] {
    const { tenants } = ofRank(rank);
    const lines = [...Map.groupBy(waiting, ({ tenant }) => tenant)].map(([tenant, calls]) => ({
      reachedAt: tenants.after(tenant, Math.min(...calls.map(({ since }) => since))),
      calls: calls.toSorted((a, b) => a.turn - b.turn),
    }));
    const served: P[] = [];
    while (served.length < most && lines.length > 0) {
      const next = lines.reduce((best, line) => (endOf(line) < endOf(best) ? line : best));
      const call = next.calls.shift();
      if (call) served.push(call);
      next.reachedAt += call?.weight ?? 0;
      if (next.calls.length === 0) lines.splice(lines.indexOf(next), 1);
    }
    return served;
  }

  return {
    enter: ({ rank, tenant, reader, weight }) => ({
      ...{ rank, tenant, weight },
      turn: readersOf(rank, tenant).take(reader, weight),
      since: ofRank(rank).tenants.now(),
    }),
    first(waiting, most) {
      const chosen: (typeof waiting)[number][] = [];
      for (const [rank, calls] of [...Map.groupBy(waiting, (place) => place.rank)].toSorted(([a], [b]) => a - b))
        if (chosen.length < most) chosen.push(...ordered(rank, calls, most - chosen.length));
      return chosen;
    },
    served({ rank, tenant, weight, turn, since }) {
      const { tenants } = ofRank(rank);
      tenants.reach(tenants.take(tenant, weight, since));
      readersOf(rank, tenant).reach(turn);
    },
  };
};

/** Sets the value of a name, and forgets the name that was set longest ago if there are too many. */
function keep<Value>(known: Map<string, Value>, name: string, value: Value): void {
  known.delete(name);
  known.set(name, value);
  const [oldest = name] = known.keys();
  if (known.size > MAX_KNOWN) known.delete(oldest);
}

const endOf = ({ reachedAt, calls: [first] }: { reachedAt: number; calls: Place[] }): number =>
  reachedAt + (first?.weight ?? 0);

/** Turns on a line of weights: each name continues where it stopped, but not before the turn that was being served when it came. */
type Clock = {
  /** The turn that is being served. */
  now(): number;
  /** Where the next turn of a name begins that waits since a turn. */
  after(name: string, since: number): number;
  /** Takes a turn for a name; by default it came now. Returns its end. */
  take(name: string, weight: number, since?: number): number;
  /** Notes that a turn with this end was served. */
  reach(end: number): void;
};

function newClock(): Clock {
  let now = 0;
  const last = new Map<string, number>();
  const after = (name: string, since: number) => Math.max(since, last.get(name) ?? 0);
  return {
    now: () => now,
    after,
    take(name, weight, since = now) {
      const end = after(name, since) + weight;
      keep(last, name, end);
      return end;
    },
    reach(end) {
      now = Math.max(now, end);
    },
  };
}
