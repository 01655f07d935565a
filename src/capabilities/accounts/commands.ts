import { sql } from 'slonik';
import type { Db } from '../../db/pool.ts';
import type { ErrorCode } from '../../kernel/error-codes.ts';
import type { Hotkey, IntentId, WalletAddress } from '../../kernel/ids.ts';
import { type Recovery, recover } from './prop/commands.ts';
import { type MadeSubaccount, subaccountMembers } from './store.ts';

/** A subaccount of the network, with the addresses that it is linked to. */
export type LinkedSubaccount = MadeSubaccount & { exAddress: WalletAddress | null; payoutAddress: string | null };

const errorCodes: Record<string, ErrorCode> = {
  unknown: 'INTENT_UNKNOWN',
  not_undecided: 'V2_ACCOUNT_NOT_FAILED',
  taken: 'V2_SUBACCOUNT_INVALID',
};

/**
 * Gives a partner an unowned subaccount that its registration has made, and records the operator. The caller has checked that the
 * subaccount is what was requested. Throws an `ApiError` if the registration is not undecided, or either has the other already.
 */
export const attachToRegistration = (
  db: Db,
  registration: IntentId,
  { operator, reason }: Recovery,
  entityHotkey: Hotkey,
  { exAddress, payoutAddress, ...made }: LinkedSubaccount,
): Promise<void> => {
  const members = { ...subaccountMembers(made, entityHotkey), ex_address: exAddress, payout_address: payoutAddress };
  const call = sql.fragment`attach_to_registration(${registration}, ${operator}, ${JSON.stringify(members)}::jsonb, ${reason})`;
  return recover(db, call, errorCodes);
};
