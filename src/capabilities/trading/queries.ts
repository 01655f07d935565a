import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import type { PropAccountId } from '../../kernel/ids.ts';

/** Whether a prop account may trade: it is in evaluation or funded. */
export const isTradeable = (db: Db, propAccountId: PropAccountId): Promise<boolean> =>
  db.exists(sql.prepared('is_tradeable', z.object({}))`
    select
    from prop_accounts a
    where a.id = ${propAccountId} and a.status in ('evaluation', 'funded')`);
