import type { Logger } from 'pino';
import type { Db } from '../../../db/pool.ts';
import { forgetEvents, sweepWatches } from './store.ts';

const STALE_READS = 40; // far longer than the slowest plan: the chain of readings is broken
const RESUMABLE_MS = 86_400_000; // how long a stream can be resumed: 24 h
const MAX_REPLANNED = 1_000;
const MAX_DELETED = 50_000;

/** The dependencies of `sweepTrading`. */
export type SweepDeps = { db: Db; config: { TRADING_WATCH_MS: number }; log: Pick<Logger, 'warn'> };

/**
 * Plans new readings of accounts whose chain of readings is broken, and deletes events that are too old to resume from.
 */
export async function sweepTrading({ db, config, log }: SweepDeps): Promise<void> {
  const replanned = await sweepWatches(db, STALE_READS * config.TRADING_WATCH_MS, MAX_REPLANNED);
  if (replanned > 0) log.warn({ replanned }, 'resumed watching accounts');
  await forgetEvents(db, RESUMABLE_MS, MAX_DELETED);
}
