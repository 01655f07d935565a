import { presentWork } from './work.ts';

/** Runs calls to one upstream, a bounded number at once. */
export type AtOnce = {
  /**
   * Runs a call in its turn: that of the tenant with the fewest calls under way comes first, and of a tenant the oldest. Null, and it was not run:
   * it would have waited for an upstream that is silent, or for too long, or too many wait, most of them its tenant's. `hasResponded`: whether a
   * result is a response of the upstream. `isUrgent`: its turn comes before those of others.
   */
  run<Result>(
    call: () => Promise<Result>,
    hasResponded: (result: Result) => boolean,
    isUrgent?: boolean,
  ): Promise<Result | null>;
};

/** Why a call was not sent that had no turn. SQL knows it by this name (retry_mail). */
export const NO_TURN = 'NO_TURN';

type Waiting = { tenant: string | undefined; sinceMs: number; isUrgent: boolean; begin(hasTurn: boolean): void };

/**
 * How long a call waits for its turn at most, and how many may wait. `silentMs`: an upstream that has been called, and has responded to nothing for
 * so long, is silent until it responds. `heldMs`: how long the job of a call waits for its response; then its turn is over, too.
 */
type Limits = { longestMs?: number; mostWaiting?: number | undefined; silentMs?: number; heldMs?: number };

/**
 * Makes a limit of `most` calls at once; others wait, by default as many, for a second. Whoever waits for an upstream holds up a job of the queue,
 * and what concerns other upstreams needs those too: one that is silent holds `most` of them. Nobody else waits for it, except in the second before
 * that is known.
 */
export function atOnce(
  most: number,
  { longestMs = 1_000, mostWaiting = most, silentMs = 1_000, heldMs }: Limits = {},
): AtOnce {
  let running = 0;
  const runningOf = new Map<string | undefined, number>();
  const waiting: Waiting[] = []; // the oldest first
  let owingSinceMs = Number.POSITIVE_INFINITY; // since when the upstream owes its next response
  let timer: NodeJS.Timeout | undefined;

  /** How much longer one that waits may do so, in milliseconds. */
  const leftMs = ({ sinceMs }: Waiting) => Math.min(owingSinceMs + silentMs, sinceMs + longestMs) - performance.now();

  function serve(): void {
    clearTimeout(timer);
    while (running < most && waiting.length > 0) {
      const next = waiting.reduce((first, each) => (isBefore(each, first) ? each : first));
      count(next.tenant, 1);
      owingSinceMs = Math.min(owingSinceMs, performance.now());
      end(next, true);
    }
    while (waiting.length > mostWaiting) end(newestOfMost(waiting), false);
    for (const late of waiting.filter((each) => leftMs(each) <= 0)) end(late, false);
    if (waiting.length > 0) timer = setTimeout(serve, Math.ceil(Math.min(...waiting.map(leftMs)))).unref();
  }

  const underWay = ({ tenant }: Waiting) => runningOf.get(tenant) ?? 0;
  const isBefore = (one: Waiting, other: Waiting) =>
    one.isUrgent === other.isUrgent ? underWay(one) < underWay(other) : one.isUrgent;

  function count(tenant: string | undefined, change: 1 | -1): void {
    running += change;
    const left = (runningOf.get(tenant) ?? 0) + change;
    if (left > 0) runningOf.set(tenant, left);
    else runningOf.delete(tenant);
  }

  function end(each: Waiting, hasTurn: boolean): void {
    waiting.splice(waiting.indexOf(each), 1);
    each.begin(hasTurn);
  }

  /** Returns a function that ends a turn, and that does so by itself after `heldMs`. */
  function turnOf(tenant: string | undefined): (isAnswered: boolean) => void {
    let isOver = false;
    const over = (isAnswered: boolean) => {
      clearTimeout(held);
      if (!isOver) count(tenant, -1);
      isOver = true;
      if (isAnswered) owingSinceMs = running > 0 ? performance.now() : Number.POSITIVE_INFINITY;
      serve();
    };
    const held = heldMs === undefined ? undefined : setTimeout(over, heldMs, false).unref();
    return over;
  }

  return {
    async run(call, hasResponded, isUrgent = false) {
      const { tenant } = presentWork();
      const hasTurn = await new Promise<boolean>((begin) => {
        waiting.push({ tenant, sinceMs: performance.now(), isUrgent, begin });
        serve();
      });
      if (!hasTurn) return null;
      const over = turnOf(tenant);
      let isAnswered = false;
      try {
        const result = await call();
        isAnswered = hasResponded(result);
        return result;
      } finally {
        over(isAnswered);
      }
    },
  };
}

/** Of some that wait, in the order of their age, the newest of the tenant that has most of them: who asks for much makes room for the others. */
export function newestOfMost<Waiter extends { tenant: string | undefined }>(waiting: readonly Waiter[]): Waiter {
  const ofTenants = [...Map.groupBy(waiting, ({ tenant }) => tenant).values()];
  return ofTenants.reduce((most, each) => (each.length >= most.length ? each : most)).at(-1) as Waiter; // as: no group is empty
}
