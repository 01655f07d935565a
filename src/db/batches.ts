/** Takes at most so many rows and answers how many it took; fewer than it was allowed means that no more are left. */
export type Batch = (most: number) => Promise<number>;

/** How much one run may do: rows in a batch, and milliseconds after which no further batch begins. `signal` ends it early, too. */
export type Bounds = { most: number; withinMs: number; signal: AbortSignal };

/**
 * Takes batches of each kind in turn, so that none starves behind another, until nothing is left or the run has lasted long enough;
 * the next run goes on. Each batch is a transaction of its own. Answers how many rows of each kind it took, where there were any.
 */
export async function inBatches(
  kinds: Readonly<Record<string, Batch>>,
  { most, withinMs, signal }: Bounds,
): Promise<Record<string, number>> {
  const until = Date.now() + withinMs;
  const taken: Record<string, number> = {};
  let unfinished = Object.entries(kinds);
  while (unfinished.length > 0) {
    const full: typeof unfinished = [];
    for (const [name, batch] of unfinished) {
      if (signal.aborted || Date.now() >= until) return taken;
      const count = await batch(most);
      if (count > 0) taken[name] = (taken[name] ?? 0) + count;
      if (count >= most) full.push([name, batch]);
    }
    unfinished = full;
  }
  return taken;
}
