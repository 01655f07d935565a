import type { Logger } from 'pino';
import type { Db } from '../../db/pool.ts';
import { requeueStrandedLanes } from './store.ts';

/** What the lane sweep needs. */
export type SweepDeps = { db: Db; log: Pick<Logger, 'warn'> };

/** Queues a job for lanes that lost theirs, and logs the number of endpoints. A safety net; normally 0. */
export async function sweepLanes({ db, log }: SweepDeps): Promise<void> {
  const stranded = await requeueStrandedLanes(db);
  if (stranded > 0) log.warn({ stranded }, 'requeued endpoints without a job');
}
