import type { Logger } from 'pino';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { type Batch, inBatches } from './batches.ts';
import type { Db } from './pool.ts';

const DAY_S = 86_400;
const KEYS_DAYS = 7; // the contract promises that an Idempotency-Key returns its first response for this long

type Retained = Pick<
  Config,
  'RETAIN_INTENTS_DAYS' | 'RETAIN_ORDERS_DAYS' | 'RETAIN_EVENTS_DAYS' | 'RETAIN_SESSIONS_DAYS'
>;

/** The dependencies of `prune`. */
export type PruneDeps = { db: Db; config: Retained; stopping: AbortSignal; log: Pick<Logger, 'info'> };

const MOST = 1_000; // rows per batch, so that locks are held only for milliseconds
const WITHIN_MS = 10_000; // less than a stopping worker waits for its tasks

/**
 * Deletes rows past their retention in small batches, until none are left or the time is up. The next run continues.
 */
export async function prune({ db, config, stopping, log }: PruneDeps): Promise<void> {
  const pruned = await inBatches(prunings(db, config), { most: MOST, withinMs: WITHIN_MS, signal: stopping });
  if (Object.keys(pruned).length > 0) log.info({ pruned }, 'pruned expired rows');
}

/**
 * What is pruned, and after how many days. Keys come first: an intent stays while a key refers to it. Rows of other
 * tables stay, or are deleted when they expire. sql/README.md lists the retention of every table; a test compares it
 * with the database.
 */
export const prunings = (db: Db, config: Retained): Record<string, Batch> => ({
  idempotency_keys: pruneBatch(db, 'prune_idempotency_keys', KEYS_DAYS),
  idempotent_responses: pruneBatch(db, 'prune_idempotent_responses', KEYS_DAYS),
  intents: pruneBatch(db, 'prune_intents', config.RETAIN_INTENTS_DAYS),
  orders: pruneBatch(db, 'prune_orders', config.RETAIN_ORDERS_DAYS),
  lanes: pruneBatch(db, 'prune_lanes', 0),
  events: pruneBatch(db, 'prune_events', config.RETAIN_EVENTS_DAYS),
  mails: pruneBatch(db, 'prune_mails', config.RETAIN_EVENTS_DAYS),
  dead_jobs: pruneBatch(db, 'prune_dead_jobs', config.RETAIN_EVENTS_DAYS),
  processor_events: pruneBatch(db, 'prune_processor_events', config.RETAIN_INTENTS_DAYS),
  user_sessions: pruneBatch(db, 'prune_user_sessions', config.RETAIN_SESSIONS_DAYS),
  admin_sessions: pruneBatch(db, 'prune_admin_sessions', config.RETAIN_SESSIONS_DAYS),
  upstream_responses: pruneBatch(db, 'prune_upstream_responses', config.RETAIN_EVENTS_DAYS),
  reveal_links: pruneBatch(db, 'prune_reveal_links', config.RETAIN_SESSIONS_DAYS),
});

const counted = z.object({ count: z.number() });

const pruneBatch =
  (db: Db, name: string, days: number): Batch =>
  (most) =>
    db.oneFirst(sql.type(counted)`select ${sql.identifier([name])}(${days * DAY_S}::double precision, ${most}) count`);
