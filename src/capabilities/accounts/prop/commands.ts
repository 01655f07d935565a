import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { ErrorCode } from '../../../kernel/error-codes.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Hotkey, PropAccountId } from '../../../kernel/ids.ts';
import { type MadeSubaccount, subaccountMembers } from '../store.ts';
import { findAnyPropAccount } from './queries.ts';
import { type NetworkStatus, verdictOf } from './rules.ts';
import { recordSync } from './store.ts';

/** Moves an account to the status that the network shows. Writes nothing if the status is unchanged. */
export async function moveAccount(db: Db, id: PropAccountId, shown: NetworkStatus): Promise<void> {
  const account = await findAnyPropAccount(db, id);
  if (account && verdictOf(account.status, shown).status !== account.status) await recordSync(db, account, shown);
}

/** The operator who recovers an account, as `admin:<id>`, and the reason. Both are recorded. */
export type Recovery = { operator: string; reason: string };

/**
 * Attaches an unowned network subaccount to a failed account and records the operator. The caller has checked that
 * class and size match. Throws an `ApiError` if the account or the subaccount does not qualify.
 */
export const attachSubaccount = (
  db: Db,
  account: PropAccountId,
  { operator, reason }: Recovery,
  entityHotkey: Hotkey,
  made: MadeSubaccount,
): Promise<void> => {
  const members = JSON.stringify(subaccountMembers(made, entityHotkey));
  return recover(db, sql.fragment`attach_subaccount(${account}, ${operator}, ${members}::jsonb, ${reason})`);
};

/**
 * Lets an account trade again after a refund or dispute stopped it, and records the operator. Its status follows the
 * network again. Throws an `ApiError` if the account is not stopped.
 */
export const reinstateAccount = (db: Db, account: PropAccountId, { operator, reason }: Recovery): Promise<void> =>
  recover(db, sql.fragment`reinstate_account(${account}, ${operator}, ${reason})`);

/**
 * Abandons a failed account and records the operator. Throws an `ApiError` for a paid account unless its payment was
 * refunded or disputed.
 */
export const abandonAccount = (db: Db, account: PropAccountId, { operator, reason }: Recovery): Promise<void> =>
  recover(db, sql.fragment`abandon_account(${account}, ${operator}, ${reason})`);

const errorCodes: Record<string, ErrorCode> = {
  unknown: 'V2_PROP_ACCOUNT_UNKNOWN',
  not_failed: 'V2_ACCOUNT_NOT_FAILED',
  not_stopped: 'V2_ACCOUNT_NOT_FAILED',
  abandoned: 'V2_ACCOUNT_NOT_FAILED',
  owes: 'V2_ACCOUNT_OWES',
  returned: 'V2_PAYMENT_RETURNED',
  refunding: 'V2_PAYMENT_RETURNED',
  unproven: 'V2_RECOVERY_UNPROVEN',
  open: 'V2_RECOVERY_UNPROVEN',
  taken: 'V2_SUBACCOUNT_INVALID',
};

/** Calls an SQL function of recovery. Throws the `ApiError` of a verdict other than `done`, and a plain error for an unknown verdict. */
export async function recover(db: Db, call: FragmentSqlToken, codes = errorCodes): Promise<void> {
  const verdict = await db.oneFirst(sql.type(z.object({ verdict: z.string() }))`select ${call} verdict`);
  if (verdict === 'done') return;
  const code = codes[verdict];
  throw code ? new ApiError(code, { effect: 'none' }) : new Error(`Unknown verdict ${verdict}`);
}
