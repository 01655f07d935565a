/** Runs calls to one upstream, a bounded number at once. */
export type AtOnce = {
  /**
   * Runs a call in its turn. Null, and it was not run: it would have waited for an upstream that is silent, or for too long, or
   * too many wait. `hasResponded`: whether a result is a response of the upstream. `isUrgent`: its turn comes before those of others.
   */
  run<Result>(
    call: () => Promise<Result>,
    hasResponded: (result: Result) => boolean,
    isUrgent?: boolean,
  ): Promise<Result | null>;
};

/** Why a call was not sent that had no turn. SQL knows it by this name (retry_mail). */
export const NO_TURN = 'NO_TURN';

type Waiting = { sinceMs: number; isUrgent: boolean; begin(hasTurn: boolean): void };

/** An upstream that has been called, and has responded to nothing for so long, is silent until it responds. */
const SILENT_MS = 1_000;

/** How long a call waits for its turn at most, and how many may wait; absent: without a limit. */
type Limits = { longestMs?: number; mostWaiting?: number };

/**
 * Makes a limit of `most` calls at once; others wait. Whoever waits for an upstream holds up a job of the queue, and what concerns other
 * upstreams needs those too: one that is silent holds `most` of them. Nobody else waits for it, except in the second before that is known.
 */
export function atOnce(
  most: number,
  { longestMs = Number.POSITIVE_INFINITY, mostWaiting = Number.POSITIVE_INFINITY }: Limits = {},
): AtOnce {
  let running = 0;
  const waiting: Waiting[] = []; // the urgent ones first, of each the oldest first
  let owingSinceMs = Number.POSITIVE_INFINITY; // since when the upstream owes its next response
  let timer: NodeJS.Timeout | undefined;

  /** How much longer one that waits may do so, in milliseconds. */
  const leftMs = ({ sinceMs }: Waiting) => Math.min(owingSinceMs + SILENT_MS, sinceMs + longestMs) - performance.now();

  function serve(): void {
    clearTimeout(timer);
    for (const { begin } of waiting.splice(0, most - running)) {
      running += 1;
      owingSinceMs = Math.min(owingSinceMs, performance.now());
      begin(true);
    }
    for (const { begin } of waiting.splice(mostWaiting)) begin(false);
    const late = waiting.filter((each) => leftMs(each) <= 0);
    for (const each of late) {
      waiting.splice(waiting.indexOf(each), 1);
      each.begin(false);
    }
    if (waiting.length > 0) timer = setTimeout(serve, Math.ceil(Math.min(...waiting.map(leftMs)))).unref();
  }

  return {
    async run(call, hasResponded, isUrgent = false) {
      const hasTurn = await new Promise<boolean>((begin) => {
        const behind = isUrgent ? waiting.findIndex((other) => !other.isUrgent) : -1;
        waiting.splice(behind < 0 ? waiting.length : behind, 0, { sinceMs: performance.now(), isUrgent, begin });
        serve();
      });
      if (!hasTurn) return null;
      let isAnswered = false;
      try {
        const result = await call();
        isAnswered = hasResponded(result);
        return result;
      } finally {
        running -= 1;
        if (isAnswered) owingSinceMs = running > 0 ? performance.now() : Number.POSITIVE_INFINITY;
        serve();
      }
    },
  };
}
