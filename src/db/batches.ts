import { epochMs } from '../kernel/work.ts';
/**
 * Processes at most `most` rows and resolves to their number. A smaller number than `most` means that none are left.
 */
export type Batch = (most: number) => Promise<number>;

/**
 * The limits of one run. `most`: rows per batch. `withinMs`: no batch begins later than this. `signal` also ends the
 * run.
 */
export type Bounds = { most: number; withinMs: number; signal: AbortSignal };

/**
 * Processes batches of all kinds in turn, so that no kind starves, until no rows are left or a limit is reached. The
 * next run continues. Each batch is its own transaction. Resolves to the number of rows per kind, without kinds that
 * had none.
 */
export async function inBatches(
  kinds: Readonly<Record<string, Batch>>,
  { most, withinMs, signal }: Bounds,
): Promise<Record<string, number>> {
  const until = epochMs() + withinMs;
  const taken: Record<string, number> = {};
  let unfinished = Object.entries(kinds);
  while (unfinished.length > 0) {
    const full: typeof unfinished = [];
    for (const [name, batch] of unfinished) {
      if (signal.aborted || epochMs() >= until) return taken;
      const count = await batch(most);
      if (count > 0) taken[name] = (taken[name] ?? 0) + count;
      if (count >= most) full.push([name, batch]);
    }
    unfinished = full;
  }
  return taken;
}
