/** Runs calls to one upstream, a bounded number at once. */
export type AtOnce = {
  /**
   * Runs a call in its turn. Null, and it was not run: it would have waited for an upstream that is silent, or for too long, or
   * too many wait. `hasResponded`: whether a result is a response of the upstream.
   */
  run<Result>(call: () => Promise<Result>, hasResponded: (result: Result) => boolean): Promise<Result | null>;
};

/** Why a call was not sent that had no turn. SQL knows it by this name (retry_mail). */
export const NO_TURN = 'NO_TURN';

type Turn = { sinceMs: number };

/** An upstream that works on all the calls it may have, and has responded to none for so long, is silent. */
const SILENT_MS = 1_000;

/** How long a call waits for its turn at most, and how many may wait; absent: without a limit. */
type Limits = { longestMs?: number; mostWaiting?: number };

/**
 * Makes a limit of `most` calls at once; others wait. Whoever waits for an upstream holds up a job of the queue, and what concerns other
 * upstreams needs those too: one that is silent holds `most` of them, and the others for a second.
 */
export function atOnce(
  most: number,
  { longestMs = Number.POSITIVE_INFINITY, mostWaiting = Number.POSITIVE_INFINITY }: Limits = {},
): AtOnce {
  const running = new Set<Turn>(); // oldest first
  const waiting: (Turn & { begin(turn: Turn | null): void })[] = [];
  let respondedMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  /** How much longer the first of those that wait may do so, in milliseconds. */
  const leftMs = ([first]: typeof waiting, [oldest]: Iterable<Turn>) =>
    Math.min(
      Math.max(respondedMs, oldest?.sinceMs ?? 0) + SILENT_MS,
      (first?.sinceMs ?? Number.POSITIVE_INFINITY) + longestMs,
    ) - performance.now();

  function serve(): void {
    clearTimeout(timer);
    for (const { begin } of waiting.splice(0, most - running.size)) {
      const turn = { sinceMs: performance.now() };
      running.add(turn);
      begin(turn);
    }
    for (const { begin } of waiting.splice(mostWaiting)) begin(null);
    while (waiting.length > 0 && leftMs(waiting, running) <= 0) waiting.shift()?.begin(null);
    if (waiting.length > 0) timer = setTimeout(serve, Math.ceil(leftMs(waiting, running))).unref();
  }

  return {
    async run(call, hasResponded) {
      const turn = await new Promise<Turn | null>((begin) => {
        waiting.push({ sinceMs: performance.now(), begin });
        serve();
      });
      if (!turn) return null;
      try {
        const result = await call();
        if (hasResponded(result)) respondedMs = performance.now();
        return result;
      } finally {
        running.delete(turn);
        serve();
      }
    },
  };
}
