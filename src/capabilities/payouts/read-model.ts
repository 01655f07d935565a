import type { Db } from '../../db/pool.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Hotkey, OwnerId, UserId } from '../../kernel/ids.ts';
import { requireValue } from '../../kernel/require.ts';
import { type EarningReads, readSettlements } from '../../venues/network/portfolio/read-model.ts';
import { isSettled } from '../../venues/portfolio.ts';
import { findPropAccount, listPropAccounts, type PropAccount } from '../accounts/prop/queries.ts';
import { centsOf } from './rules.ts';

/**
 * The funded accounts of a user: all, or only `named`. Throws V2_PROP_ACCOUNT_UNKNOWN for an account of another user.
 */
export async function getEarningAccounts(
  db: Db,
  { owner, userId }: { owner: OwnerId; userId: UserId },
  named: string | undefined,
): Promise<PropAccount[]> {
  const accounts =
    named === undefined ? await listPropAccounts(db, owner, userId) : [await findPropAccount(db, owner, userId, named)];
  const found = accounts.filter((account) => account !== null);
  if (found.length < accounts.length) throw new ApiError('V2_PROP_ACCOUNT_UNKNOWN');
  return found.filter(({ status }) => status === 'funded');
}

/** What an account has earned, in cents, by the network's settlements. Throws VENUE_UNREADABLE if they cannot be read. */
export const earningsOf = async (
  reads: EarningReads,
  { subaccount_uuid, synthetic_hotkey }: PropAccount,
): Promise<number> =>
  requireValue(await readEarnings(reads, { uuid: subaccount_uuid, hotkey: synthetic_hotkey }), 'VENUE_UNREADABLE');

/**
 * What a subaccount has earned in all settled weeks, in cents, by the network's settlements. Null if they cannot be read, or if the uuid of the
 * subaccount is not known yet.
 */
export async function readEarnings(
  reads: EarningReads,
  { uuid, hotkey }: { uuid: string | null; hotkey: Hotkey | null },
): Promise<number | null> {
  if (uuid === null) return null;
  const settled = await readSettlements(reads, { uuid, hotkey });
  if (settled.kind === 'unreadable') return null;
  const weeks = settled.kind === 'absent' ? [] : settled.data.filter(isSettled);
  return weeks.reduce((total, { payoutUsd }) => total + centsOf(payoutUsd), 0);
}
