import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import type { Change } from './rules.ts';

type Position = components['schemas']['Position'];

/**
 * Records a look at an account's positions, with an event for each change: both or neither. `positions` is null where followers are
 * told nothing. False where another look came between: then nothing is written.
 */
export const recordWatch = (
  db: Db,
  account: string,
  version: number,
  { positions, changes }: { positions: Position[] | null; changes: Change[] },
): Promise<boolean> =>
  db.oneFirst(sql.prepared('record_watch', z.object({ ok: z.boolean() }))`
    select record_watch(${account}, ${version}, ${positions && JSON.stringify(positions)}::jsonb,
      ${JSON.stringify(changes)}::jsonb) ok`);

/** Plans the next look, where anyone still listens or an order rests. */
export async function planWatch(db: Db, account: string, delayMs: number): Promise<void> {
  await db.query(sql.prepared('plan_watch', z.object({}))`select plan_watch(${account}, ${delayMs / 1000})`);
}

const counted = z.object({ count: z.number() });

/** Plans a look at accounts that nobody has looked at for `staleMs` although they are to be. Answers how many. */
export const sweepWatches = (db: Db, staleMs: number, most: number): Promise<number> =>
  db.oneFirst(sql.type(counted)`select sweep_watches(${staleMs / 1000}, ${most}) count`);

/** Forgets the oldest events kept for longer than `keptMs`, so many at most. Answers how many. */
export const forgetEvents = (db: Db, keptMs: number, most: number): Promise<number> =>
  db.oneFirst(sql.type(counted)`select forget_account_events(${keptMs / 1000}, ${most}) count`);
