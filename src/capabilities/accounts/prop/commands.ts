import { sql } from 'slonik';
import type { Db } from '../../../db/pool.ts';
import type { Hotkey, PropAccountId } from '../../../kernel/ids.ts';
import { type MadeSubaccount, subaccountMembers } from '../store.ts';
import { findAnyPropAccount } from './queries.ts';
import { type NetworkStatus, verdictOf } from './rules.ts';
import { recordSync } from './store.ts';
import { type Recovery, requireDone, verdictRow } from './verdicts.ts';

/** Moves an account to the status that the network shows. Writes nothing if the status is unchanged. */
export async function moveAccount(db: Db, id: PropAccountId, shown: NetworkStatus): Promise<void> {
  const account = await findAnyPropAccount(db, id);
  if (account && verdictOf(account.status, shown).status !== account.status) await recordSync(db, account, shown);
}

/**
 * Attaches an unowned network subaccount to a failed account and records the operator. The caller has checked that
 * class and size match. Throws an `ApiError` if the account or the subaccount does not qualify.
 */
export async function attachSubaccount(
  db: Db,
  account: PropAccountId,
  { operator, reason }: Recovery,
  entityHotkey: Hotkey,
  made: MadeSubaccount,
): Promise<void> {
  const members = JSON.stringify(subaccountMembers(made, entityHotkey));
  requireDone(
    await db.oneFirst(sql.type(verdictRow)`
      select attach_subaccount(${account}, ${operator}, ${members}::jsonb, ${reason}) verdict`),
  );
}

/**
 * Lets an account trade again after a refund or dispute stopped it, and records the operator. Its status follows the
 * network again. Throws an `ApiError` if the account is not stopped.
 */
export async function reinstateAccount(db: Db, account: PropAccountId, { operator, reason }: Recovery): Promise<void> {
  requireDone(
    await db.oneFirst(sql.type(verdictRow)`select reinstate_account(${account}, ${operator}, ${reason}) verdict`),
  );
}

/**
 * Abandons a failed account and records the operator. Throws an `ApiError` for a paid account unless its payment was
 * refunded or disputed.
 */
export async function abandonAccount(db: Db, account: PropAccountId, { operator, reason }: Recovery): Promise<void> {
  requireDone(
    await db.oneFirst(sql.type(verdictRow)`select abandon_account(${account}, ${operator}, ${reason}) verdict`),
  );
}
