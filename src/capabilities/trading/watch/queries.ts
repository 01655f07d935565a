import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import { idSchema, type PropAccountId } from '../../../kernel/ids.ts';

type Position = components['schemas']['Position'];

const watchedRow = z.object({
  owner: idSchema.owner,
  trader: idSchema.hotkey,
  version: z.number(),
  positions: z.custom<Position[] | null>(), // written by an earlier reading
  is_listened: z.boolean(),
  notified_ago_ms: z.number().nullable(),
});

/** An account that is watched, or was. */
export type Watched = z.infer<typeof watchedRow>;

/** A watched account: its last recorded positions, and the time since its last event. Null if it has no subaccount. */
export const findWatched = (db: Db, account: PropAccountId): Promise<Watched | null> =>
  db.maybeOne(sql.prepared('find_watched', watchedRow)`
    select a.owner, a.synthetic_hotkey as trader, coalesce(w.version, 0) as version, w.positions,
      coalesce(w.listened_until > now(), false) as is_listened,
      case when isfinite(w.notified_at) then extract(epoch from now() - w.notified_at)::double precision * 1000 end as notified_ago_ms
    from prop_accounts a
    left join account_watches w on w.prop_account_id = a.id
    where a.id = ${account} and a.synthetic_hotkey is not null`);
