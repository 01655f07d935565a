import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import type { PropAccountId } from '../../../kernel/ids.ts';
import type { Change } from './rules.ts';

type Position = components['schemas']['Position'];

/**
 * Records a reading of an account's positions together with an event for each change. `positions` is null if nothing
 * has changed. False: another reading was recorded since `version`, and nothing was written.
 */
export const recordWatch = (
  db: Db,
  account: PropAccountId,
  version: number,
  { positions, changes }: { positions: Position[] | null; changes: Change[] },
): Promise<boolean> =>
  db.oneFirst(sql.prepared('record_watch', z.object({ ok: z.boolean() }))`
    select record_watch(${account}, ${version}, ${positions && JSON.stringify(positions)}::jsonb,
      ${JSON.stringify(changes)}::jsonb) ok`);

/**
 * Plans the next reading in `delayMs`, if anyone still listens or an order rests. One that is planned already stays,
 * unless this one is due at once.
 */
export async function planWatch(db: Db, account: PropAccountId, delayMs: number): Promise<void> {
  await db.query(sql.prepared('plan_watch', z.object({}))`select plan_watch(${account}, ${delayMs / 1000})`);
}

const counted = z.object({ count: z.number() });

/** Plans a reading of at most `most` accounts that were due and not read for `staleMs`. Resolves to their number. */
export const sweepWatches = (db: Db, staleMs: number, most: number): Promise<number> =>
  db.oneFirst(sql.type(counted)`select sweep_watches(${staleMs / 1000}, ${most}) count`);

/** Deletes at most `most` events older than `retentionMs`, oldest first. Resolves to their number. */
export const forgetEvents = (db: Db, retentionMs: number, most: number): Promise<number> =>
  db.oneFirst(sql.type(counted)`select forget_account_events(${retentionMs / 1000}, ${most}) count`);
