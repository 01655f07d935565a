import { findPropAccount, listPropAccounts, type PropAccount } from '../accounts/prop/queries.ts';
import type { Db } from '../db/pool.ts';
import { Refusal } from '../kernel/refusals.ts';
import type { WebRuntime } from '../runtime.ts';
import { centsOf } from './rules.ts';

/** The funded accounts of a user that earn: all, or the one named. Refuses one that is not the user's; without any, none. */
export async function getEarningAccounts(
  db: Db,
  { owner, userId }: { owner: string; userId: string },
  named: string | undefined,
): Promise<PropAccount[]> {
  const accounts =
    named === undefined ? await listPropAccounts(db, owner, userId) : [await findPropAccount(db, owner, userId, named)];
  const own = accounts.filter((account) => account !== null);
  if (own.length < accounts.length) throw new Refusal('V2_PROP_ACCOUNT_UNKNOWN');
  return own.filter(({ status }) => status === 'funded');
}

/** What these accounts have earned since they began, in cents, by the network's settlements. Refuses when they cannot be read. */
export async function earningsOf(reads: WebRuntime['reads'], accounts: readonly PropAccount[]): Promise<number> {
  const earned = await Promise.all(accounts.map((account) => earnedBy(reads, account)));
  return earned.reduce((total, cents) => total + cents, 0);
}

async function earnedBy(reads: WebRuntime['reads'], { subaccount_uuid }: PropAccount): Promise<number> {
  if (subaccount_uuid === null) return 0;
  const settled = await reads.settlements(subaccount_uuid);
  if (settled.kind === 'unreadable') throw new Refusal('VENUE_UNREADABLE');
  return settled.kind === 'absent' ? 0 : settled.said.reduce((total, { payoutUsd }) => total + centsOf(payoutUsd), 0);
}
