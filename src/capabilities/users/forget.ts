import { inBatches } from '../../db/batches.ts';
import type { Db } from '../../db/pool.ts';
import { runAgain } from '../../db/retention.ts';
import { expirations } from './commands.ts';

const MOST = 1_000; // rows per batch, so that locks are held only for milliseconds
const WITHIN_MS = 10_000; // shorter than a stopping worker waits for its tasks

/**
 * Deletes expired codes, tokens, throttles, paces and sign-ups in small batches, until none are left or the time is up. If rows are left, the next
 * run follows at once, because callers can create rows at any rate.
 */
export async function forget(
  { db, stopping: signal }: { db: Db; stopping: AbortSignal },
  withinMs = WITHIN_MS,
): Promise<void> {
  const { left, failed } = await inBatches(expirations(db), { most: MOST, withinMs, signal });
  if (left.length > 0 && !signal.aborted) await runAgain(db, 'housekeeping/forget');
  for (const error of Object.values(failed)) throw error;
}
