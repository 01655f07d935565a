import { sql } from 'slonik';
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { Batch } from './batches.ts';
import type { Db } from './pool.ts';

const DAY_S = 86_400;
const KEYS_DAYS = 7; // promised by the contract: so long an Idempotency-Key stands for its first answer

type Retained = Pick<
  Config,
  'RETAIN_INTENTS_DAYS' | 'RETAIN_ORDERS_DAYS' | 'RETAIN_EVENTS_DAYS' | 'RETAIN_SESSIONS_DAYS'
>;

/**
 * What is pruned, and after how many days. Keys come first: an intent stays while a key stands for it. What is not named here stays,
 * or is forgotten when it expires; sql/README.md says of every table how long its rows live, and a test holds it against the database.
 */
export const prunings = (db: Db, config: Retained): Record<string, Batch> => ({
  idempotency_keys: pruning(db, 'prune_idempotency_keys', KEYS_DAYS),
  kept_answers: pruning(db, 'prune_kept_answers', KEYS_DAYS),
  intents: pruning(db, 'prune_intents', config.RETAIN_INTENTS_DAYS),
  orders: pruning(db, 'prune_orders', config.RETAIN_ORDERS_DAYS),
  lanes: pruning(db, 'prune_lanes', 0),
  events: pruning(db, 'prune_events', config.RETAIN_EVENTS_DAYS),
  mails: pruning(db, 'prune_mails', config.RETAIN_EVENTS_DAYS),
  dead_jobs: pruning(db, 'prune_dead_jobs', config.RETAIN_EVENTS_DAYS),
  processor_events: pruning(db, 'prune_processor_events', config.RETAIN_INTENTS_DAYS),
  user_sessions: pruning(db, 'prune_user_sessions', config.RETAIN_SESSIONS_DAYS),
  admin_sessions: pruning(db, 'prune_admin_sessions', config.RETAIN_SESSIONS_DAYS),
  reveal_links: pruning(db, 'prune_reveal_links', config.RETAIN_SESSIONS_DAYS),
});

const counted = z.object({ count: z.number() });

const pruning =
  (db: Db, name: string, days: number): Batch =>
  (most) =>
    db.oneFirst(sql.type(counted)`select ${sql.identifier([name])}(${days * DAY_S}::double precision, ${most}) count`);
