/** What a batch did: how many rows it looked at, and how many of them it processed. */
export type BatchDone = { seen: number; taken: number };

/** Processes at most `most` rows. If it saw fewer than `most`, none are left. */
export type Batch = (most: number) => Promise<BatchDone>;

/** A batch that processes every row that it sees. */
export const takingAll =
  (batch: (most: number) => Promise<number>): Batch =>
  async (most) => {
    const taken = await batch(most);
    return { seen: taken, taken };
  };

/**
 * The limits of one run. `most`: rows per batch. `withinMs`: no batch begins later than this. `signal` also ends the
 * run.
 */
export type Bounds = { most: number; withinMs: number; signal: AbortSignal };

/**
 * The end of a run: the number of rows per kind, without kinds that had none; the kinds of which a batch was done; those
 * that have or may have rows left; what failed.
 */
export type Run = { taken: Record<string, number>; ran: string[]; left: string[]; failed: Record<string, unknown> };

/**
 * Processes batches of all kinds in turn, in their order, until no rows are left or a limit is reached. The next run
 * continues; one that begins with what this one did not reach starves no kind. Each batch is its own transaction. A kind
 * that fails does not keep the others from going on, unless it takes all the time.
 */
export async function inBatches(
  kinds: Readonly<Record<string, Batch>>,
  { most, withinMs, signal }: Bounds,
): Promise<Run> {
  const until = performance.now() + withinMs;
  const run: Run = { taken: {}, ran: [], left: [], failed: {} };
  const ran = new Set<string>();
  const isOver = () => signal.aborted || performance.now() >= until;
  let unfinished = Object.entries(kinds);
  while (unfinished.length > 0 && !isOver()) {
    const full: typeof unfinished = [];
    for (const [n, [name, batch]] of unfinished.entries()) {
      if (isOver()) {
        full.push(...unfinished.slice(n));
        break;
      }
      const done = await batch(most).catch((error) => {
        run.failed[name] = error;
      });
      if (!done) continue;
      ran.add(name);
      if (done.taken > 0) run.taken[name] = (run.taken[name] ?? 0) + done.taken;
      if (done.seen >= most) full.push([name, batch]);
    }
    unfinished = full;
  }
  run.ran = [...ran];
  run.left = unfinished.map(([name]) => name);
  return run;
}
