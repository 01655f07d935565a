import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { type Hotkey, idSchema, type OwnerId } from '../../../kernel/ids.ts';

const subaccountRow = z.object({
  synthetic_hotkey: idSchema.hotkey,
  subaccount_uuid: z.string().nullable(),
  asset_class: z.string(),
  account_size: z.coerce.number(),
  status: z.string(),
});

/** A subaccount in our records. `status` is the last one reported by the network. */
export type Subaccount = z.infer<typeof subaccountRow>;

/** A subaccount of an owner; null if the owner has no such subaccount. */
export const findSubaccount = (db: Db, owner: OwnerId, syntheticHotkey: Hotkey): Promise<Subaccount | null> =>
  db.maybeOne(sql.prepared('find_subaccount', subaccountRow)`
    select s.synthetic_hotkey, s.subaccount_uuid, s.asset_class, s.account_size, s.status
    from subaccounts s
    where s.synthetic_hotkey = ${syntheticHotkey} and s.owner = ${owner}`);
