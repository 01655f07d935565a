import type { CallWith } from '../../contract/handler.ts';
import type { Db } from '../../db/pool.ts';
import { ApiError } from '../../kernel/errors.ts';
import {
  entityOf,
  type Hotkey,
  type OrderUuid,
  type OwnerId,
  type PropAccountId,
  type UserId,
} from '../../kernel/ids.ts';
import {
  findAccountOfOrder,
  findAnyPropAccount,
  findDefaultAccount,
  findPropAccount,
  type PropAccount,
} from '../accounts/prop/queries.ts';
import { subjectOf } from '../streams/rules.ts';

/** A prop account with a subaccount at the network. `hotkey` is the synthetic hotkey of that subaccount. */
export type ReadyAccount = PropAccount & { subaccount_id: number; hotkey: Hotkey; entityHotkey: Hotkey };

type AnyCall = Pick<CallWith<{ db: Db }>, 'deps' | 'principal'> & { header: { 'X-Prop-Account'?: string } };

/** Finds the account of a user that something in a request belongs to; null if it is nothing of this user's. */
type Finder = (db: Db, owner: OwnerId, userId: UserId) => Promise<PropAccount | null>;

/** Finds the account that an order or another intent is for. */
export const byOrder =
  (order: OrderUuid | undefined): Finder =>
  async (db, owner, userId) =>
    order === undefined ? null : findAccountOfOrder(db, owner, userId, order);

/** Finds the account whose stream has sent the event with this id. */
export const byEvent =
  (eventId: string | undefined): Finder =>
  async (db, owner, userId) =>
    eventId === undefined ? null : findPropAccount(db, owner, userId, subjectOf(eventId));

/**
 * The prop account of a call: the account of the trader's key or of the ticket, an account of the user, or any account of the app. A user who names
 * none means the one that `find` finds, else the newest that may trade: that changes when an account is opened or stopped. Throws
 * V2_PROP_ACCOUNT_UNKNOWN if the caller has no such account, V2_API_KEY_ACCOUNT_MISMATCH if the key belongs to another account, INVALID_REQUEST if
 * an app names no account, and V2_SUBACCOUNT_NOT_READY without a subaccount.
 */
export async function getReadyAccount(call: AnyCall, find?: Finder): Promise<ReadyAccount> {
  const account = await findAccount(call, find);
  if (!account) throw new ApiError('V2_PROP_ACCOUNT_UNKNOWN');
  const { status, synthetic_hotkey: hotkey, subaccount_id } = account; // both null where the subaccount failed
  if (hotkey === null || subaccount_id === null || status === 'provisioning')
    throw new ApiError('V2_SUBACCOUNT_NOT_READY');
  return { ...account, subaccount_id, hotkey, entityHotkey: entityOf(hotkey) };
}

/**
 * Throws V2_ACCOUNT_NOT_TRADEABLE unless the account may trade. For paths that submit no intent, which would check it.
 */
export function rejectUnlessTrading({ status }: Pick<PropAccount, 'status'>): void {
  if (status !== 'evaluation' && status !== 'funded') throw new ApiError('V2_ACCOUNT_NOT_TRADEABLE');
}

async function findAccount(
  { deps: { db }, principal, header }: AnyCall,
  find: Finder | undefined,
): Promise<PropAccount | null> {
  const named = header['X-Prop-Account'];
  if (principal.kind === 'trader') {
    if (named !== undefined && named !== principal.propAccountId) throw new ApiError('V2_API_KEY_ACCOUNT_MISMATCH');
    return findPropAccount(db, principal.owner, principal.userId, principal.propAccountId);
  }
  if (principal.kind === 'ticket') {
    if (named !== undefined && named !== principal.propAccountId) throw new ApiError('V2_API_KEY_ACCOUNT_MISMATCH');
    return principal.propAccountId === null ? null : findAccountOf(db, principal.owner, principal.propAccountId);
  }
  if (principal.kind === 'user') {
    const { owner, userId } = principal;
    if (named !== undefined) return findPropAccount(db, owner, userId, named);
    return (await find?.(db, owner, userId)) ?? findDefaultAccount(db, owner, userId);
  }
  if (named === undefined) throw accountRequired();
  return findAccountOf(db, principal.owner, named);
}

/** An account of an app, whoever its user is. */
async function findAccountOf(db: Db, owner: OwnerId, id: PropAccountId): Promise<PropAccount | null> {
  const account = await findAnyPropAccount(db, id);
  return account?.owner === owner ? account : null;
}

/** An app acts for all its users, so it must name the account. */
const accountRequired = () =>
  new ApiError('INVALID_REQUEST', {
    fields: [{ loc: ['header', 'X-Prop-Account'], msg: 'must name an account of the app', type: 'required' }],
  });
