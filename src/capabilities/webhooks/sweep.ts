import type { Logger } from 'pino';
import { inBatches, takingAll } from '../../db/batches.ts';
import type { Db } from '../../db/pool.ts';
import { cancelUnreceived, requeueStrandedLanes } from './store.ts';

/** What the lane sweep needs. */
export type SweepDeps = { db: Db; log: Pick<Logger, 'warn'>; stopping: AbortSignal };

/** Small batches hold locks only for milliseconds. A run is shorter than a stopping worker waits for its tasks. */
const BOUNDS = { most: 1_000, withinMs: 10_000 };

/**
 * Queues a job for lanes that lost theirs, and logs the number of endpoints: a safety net, normally 0. Cancels what still
 * waits for endpoints that were deactivated with more deliveries than their end could cancel.
 */
export async function sweepLanes({ db, log, stopping: signal }: SweepDeps): Promise<void> {
  const stranded = await requeueStrandedLanes(db);
  if (stranded > 0) log.warn({ stranded }, 'requeued endpoints without a job');
  const { failed } = await inBatches(
    { waiting: takingAll((most) => cancelUnreceived(db, most)) },
    { ...BOUNDS, signal },
  );
  if (failed.waiting) throw failed.waiting;
}
