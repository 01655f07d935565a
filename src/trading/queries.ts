import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';

/** Whether what an intent was asked for may still go out: the prop account behind it trades, or there is none. */
export async function stillTrades(db: Db, { prop_account_id: account }: Record<string, unknown>): Promise<boolean> {
  if (typeof account !== 'string') return true;
  return db.exists(sql.prepared('still_trades', z.object({}))`
    select
    from prop_accounts a
    where a.id = ${account} and a.status in ('evaluation', 'funded')`);
}
