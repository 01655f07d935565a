import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { ErrorCode } from '../../../kernel/error-codes.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Hotkey, OwnerId, WalletAddress } from '../../../kernel/ids.ts';

/** Stores that a partner has proven control of a wallet by a signature. */
export async function saveProof(db: Db, owner: OwnerId, wallet: WalletAddress): Promise<void> {
  await db.query(sql.prepared('save_wallet_proof', z.object({}))`
    insert into wallet_proofs (owner, ex_wallet)
    values (${owner}, ${wallet})
    on conflict (owner, ex_wallet) do update set proven_at = now()`);
}

const movedRow = z.object({ verdict: z.string(), subaccount_id: z.number().nullable() });

const errorCodes: Record<string, ErrorCode> = {
  unknown: 'V2_TRADER_UNKNOWN',
  unproven: 'V2_WALLET_UNPROVEN',
  proven: 'V2_WALLET_PROVEN',
  pays_others: 'V2_LINK_PAYS_OTHERS',
};

/**
 * Gives the subaccount of an unproven link to a partner that has proven the wallet, and records the operator. Resolves
 * to the subaccount's number. `hotkey`: of the link that was found. Throws V2_TRADER_UNKNOWN if that is not the one to
 * move, V2_WALLET_UNPROVEN if the partner has proven nothing, V2_WALLET_PROVEN if the present owner has, and
 * V2_LINK_PAYS_OTHERS if the network would pay somebody else.
 */
export async function moveLink(
  db: Db,
  { wallet, hotkey }: { wallet: WalletAddress; hotkey: Hotkey | null },
  partner: OwnerId,
  { operator, reason }: { operator: string; reason: string },
): Promise<number> {
  const { verdict, subaccount_id } = await db.one(sql.type(movedRow)`
    select m.verdict, m.subaccount_id
    from move_wallet_link(${wallet}, ${partner}, ${operator}, ${reason}, ${hotkey ?? ''}) m`);
  if (verdict === 'done' && subaccount_id !== null) return subaccount_id;
  const code = errorCodes[verdict];
  throw code ? new ApiError(code, { effect: 'none' }) : new Error(`Unknown verdict ${verdict}`);
}
