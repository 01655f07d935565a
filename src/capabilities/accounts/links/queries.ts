import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { idSchema, type OwnerId, type WalletAddress } from '../../../kernel/ids.ts';

const linkRow = z.object({ synthetic_hotkey: idSchema.hotkey, owner: idSchema.owner });

/** The newest link of a wallet that is not this partner's, which `move_wallet_link` would give it; null if there is none. */
export const findMovableLink = (
  db: Db,
  wallet: WalletAddress,
  partner: OwnerId,
): Promise<z.infer<typeof linkRow> | null> =>
  db.maybeOne(sql.prepared('find_movable_link', linkRow)`
    select s.synthetic_hotkey, s.owner
    from subaccounts s
    where s.ex_address = ${wallet} and s.owner <> ${partner}
    order by s.created_at desc
    limit 1`);
