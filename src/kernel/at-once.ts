/** Runs calls to one upstream, a bounded number at once. */
export type AtOnce = {
  /**
   * Runs a call in its turn. Null, and it was not run: it would have waited for an upstream that is silent. `hasResponded`: whether a
   * result is a response of the upstream.
   */
  run<Result>(call: () => Promise<Result>, hasResponded: (result: Result) => boolean): Promise<Result | null>;
};

type Turn = { sinceMs: number };

/** An upstream that works on all the calls it may have, and has responded to none for so long, is silent. */
const SILENT_MS = 1_000;

/**
 * Makes a limit of `most` calls at once. Whoever waits for an upstream holds up a job of the queue, and orders at other upstreams
 * need those too: one that is silent holds `most` of them, and the others for a second.
 */
export function atOnce(most: number): AtOnce {
  const running = new Set<Turn>(); // oldest first
  const waiting: ((turn: Turn | null) => void)[] = [];
  let respondedMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  /** How long those that wait may still wait for a response, in milliseconds. */
  const leftMs = ([oldest]: Iterable<Turn>) =>
    Math.max(respondedMs, oldest?.sinceMs ?? 0) + SILENT_MS - performance.now();

  function serve(): void {
    clearTimeout(timer);
    for (const begin of waiting.splice(0, most - running.size)) {
      const turn = { sinceMs: performance.now() };
      running.add(turn);
      begin(turn);
    }
    if (waiting.length === 0) return;
    const left = leftMs(running);
    if (left > 0) timer = setTimeout(serve, Math.ceil(left)).unref();
    else for (const begin of waiting.splice(0)) begin(null);
  }

  return {
    async run(call, hasResponded) {
      const turn = await new Promise<Turn | null>((begin) => {
        waiting.push(begin);
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
