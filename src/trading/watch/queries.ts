import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';

type Position = components['schemas']['Position'];

const watchedRow = z.object({
  trader: z.string(),
  version: z.number(),
  positions: z.custom<Position[] | null>(), // as an earlier look showed them
  is_listened: z.boolean(),
  told_ago_ms: z.number().nullable(),
});

/** An account that is looked at: what its followers were last told, and how many looks ago. Null where it has no subaccount. */
export const findWatched = (db: Db, account: string): Promise<z.infer<typeof watchedRow> | null> =>
  db.maybeOne(sql.prepared('find_watched', watchedRow)`
    select a.synthetic_hotkey as trader, coalesce(w.version, 0) as version, w.positions,
      coalesce(w.listened_until > now(), false) as is_listened,
      case when isfinite(w.told_at) then extract(epoch from now() - w.told_at)::double precision * 1000 end as told_ago_ms
    from prop_accounts a
    left join account_watches w on w.prop_account_id = a.id
    where a.id = ${account} and a.synthetic_hotkey is not null`);
