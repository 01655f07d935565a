import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

const eventRow = z.object({ position: z.number(), type: z.string(), data: z.string() });

/** An event of an account; `data` is JSON as it goes out. */
export type AccountEvent = z.infer<typeof eventRow>;

/** Events of an account behind a place, oldest first. */
export const listEvents = (db: Db, account: string, place: number, most: number): Promise<readonly AccountEvent[]> =>
  db.any(sql.prepared('account_events_after', eventRow)`
    select position, type, data
    from account_events_after(${account}, ${place}, ${most})`);

const endRow = z.object({ last_position: z.number(), is_whole: z.boolean() });

/** Where an account's log ends, and whether everything behind `place` is still kept. */
export const readLogEnd = (db: Db, account: string, place: number): Promise<z.infer<typeof endRow>> =>
  db.one(sql.prepared('account_log_end', endRow)`
    select last_position, is_whole
    from account_log_end(${account}, ${place})`);

const lastRow = z.object({ prop_account_id: z.string(), last_position: z.number() });

/** Where the logs of these accounts end; those without events are left out. */
export const listLogEnds = (db: Db, accounts: string[]): Promise<readonly z.infer<typeof lastRow>[]> =>
  db.any(sql.prepared('account_log_ends', lastRow)`
    select l.prop_account_id, l.last_position
    from account_logs l
    where l.prop_account_id = any(${sql.array(accounts, 'text')})`);
