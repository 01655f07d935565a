import { presentWork } from './work.ts';

/** Runs calls to one upstream, a bounded number at once. */
export type AtOnce = {
  /**
   * Runs a call in its turn. Urgent calls come first, unless their tenant has half of the turns, then the tenant with the fewest calls under way,
   * then the oldest call. Null if it was not run: the upstream is silent, the wait became too long, or too much waits, most of it its tenant's.
   * `hasResponded`: whether a result is a response of the upstream.
   */
  run<Result>(
    call: () => Promise<Result>,
    hasResponded: (result: Result) => boolean,
    isUrgent?: boolean,
  ): Promise<Result | null>;
};

/** The reason why a call without a turn was not sent. SQL knows it by this name (retry_mail). */
export const NO_TURN = 'NO_TURN';

/** `verb`: the intent that the call is for, which may wait for several at once; else the call itself. */
type Waiting = {
  tenant: string | undefined;
  verb: unknown;
  sinceMs: number;
  isUrgent: boolean;
  begin(hasTurn: boolean): void;
};

/**
 * `longestMs`: how long a call may wait for its turn. `mostWaiting`: how many verbs may wait, each with all its calls.
 * `silentMs`: an upstream that owes a response for so long counts as silent until it responds. `heldMs`: after so long the job of a call no longer
 * waits for its response, so its turn ends.
 */
type Limits = { longestMs?: number; mostWaiting?: number | undefined; silentMs?: number; heldMs?: number };

/**
 * Limits calls to `most` at once. By default as many others wait, for up to a second. A call that waits for an upstream holds a job of the queue,
 * which work for other upstreams needs; so a silent upstream holds at most `most` jobs, and more only during the second in which its silence is not
 * known yet.
 */
export function atOnce(
  most: number,
  { longestMs = 1_000, mostWaiting = most, silentMs = 1_000, heldMs }: Limits = {},
): AtOnce {
  let running = 0;
  const runningOf = new Map<string | undefined, number>();
  const waiting: Waiting[] = []; // oldest first, so the first one is the first that may wait no longer
  let owingSinceMs = Number.POSITIVE_INFINITY; // since when the upstream owes its next response
  let timer: NodeJS.Timeout | undefined;

  /** How much longer a call may wait, in milliseconds. */
  const leftMs = ({ sinceMs }: Waiting) => Math.min(owingSinceMs + silentMs, sinceMs + longestMs) - performance.now();

  function serve(): void {
    clearTimeout(timer);
    while (running < most && waiting.length > 0) {
      const next = waiting.reduce((first, each) => (isBefore(each, first) ? each : first));
      count(next.tenant, 1);
      owingSinceMs = Math.min(owingSinceMs, performance.now());
      end(next, true);
    }
    while (waiting.length > mostWaiting && makeRoom());
    for (let oldest = waiting[0]; oldest; oldest = waiting[0]) {
      const ms = leftMs(oldest);
      if (ms > 0) {
        timer = setTimeout(serve, Math.ceil(ms)).unref();
        break;
      }
      end(oldest, false);
    }
  }

  /** Ends the wait of all calls of the newest verb of the tenant with most. False if no more wait than may. */
  function makeRoom(): boolean {
    const verbs = [...Map.groupBy(waiting, ({ verb }) => verb).values()];
    if (verbs.length <= mostWaiting) return false;
    const { verb: newest } = newestOfMost(verbs.flatMap(([first]) => first ?? []));
    for (const each of waiting.filter(({ verb }) => verb === newest)) end(each, false);
    return true;
  }

  const underWay = ({ tenant }: Waiting) => runningOf.get(tenant) ?? 0;
  const comesFirst = (each: Waiting) => each.isUrgent && 2 * underWay(each) < most;
  function isBefore(one: Waiting, other: Waiting): boolean {
    if (comesFirst(one) !== comesFirst(other)) return comesFirst(one);
    if (underWay(one) !== underWay(other)) return underWay(one) < underWay(other);
    return one.isUrgent && !other.isUrgent;
  }

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

  /** Returns a function that ends the turn. The turn also ends by itself after `heldMs`. */
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
      const { tenant, intent_id: verb = Symbol() } = presentWork();
      const hasTurn = await new Promise<boolean>((begin) => {
        waiting.push({ tenant, verb, sinceMs: performance.now(), isUrgent, begin });
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

/** The newest waiter of the tenant that has most of them. `waiting` is in order of age. */
export function newestOfMost<Waiter extends { tenant: string | undefined }>(waiting: readonly Waiter[]): Waiter {
  const ofTenants = [...Map.groupBy(waiting, ({ tenant }) => tenant).values()];
  return ofTenants.reduce((most, each) => (each.length >= most.length ? each : most)).at(-1) as Waiter; // as: no group is empty
}
