import { findAnyPropAccount, findPropAccount, listPropAccounts, type PropAccount } from '../accounts/prop/queries.ts';
import type { Call } from '../edge/handler.ts';
import { Refusal } from '../kernel/refusals.ts';

/** A prop account with a subaccount at the network; `hotkey` names that there. */
export type ReadyAccount = PropAccount & { subaccount_id: number; hotkey: string; entityHotkey: string };

type AnyCall = Pick<Call, 'runtime' | 'principal'> & { header: { 'X-Prop-Account'?: string } };

/**
 * The prop account a call is about: the one a trader's key is bound to, one of the user's own (the most recent where none is named),
 * or any of the app's. Refuses those that are not the caller's as unknown, and those without a subaccount.
 */
export async function getReadyAccount(call: AnyCall): Promise<ReadyAccount> {
  const account = await findAccount(call);
  if (!account) throw new Refusal('V2_PROP_ACCOUNT_UNKNOWN');
  const { status, synthetic_hotkey: hotkey, subaccount_id } = account;
  if (hotkey === null || subaccount_id === null || status === 'provisioning' || status === 'subaccount_failed')
    throw new Refusal('V2_SUBACCOUNT_NOT_READY');
  return { ...account, subaccount_id, hotkey, entityHotkey: hotkey.slice(0, hotkey.lastIndexOf('_')) };
}

/** Refuses for an account that may not trade, where nothing is accepted that would judge it. */
export function refuseUnlessTrading({ status }: Pick<PropAccount, 'status'>): void {
  if (status !== 'evaluation' && status !== 'funded') throw new Refusal('V2_ACCOUNT_NOT_TRADEABLE');
}

async function findAccount({ runtime: { db }, principal, header }: AnyCall): Promise<PropAccount | null> {
  const named = header['X-Prop-Account'];
  if (principal.kind === 'trader') {
    if (named !== undefined && named !== principal.propAccountId) throw new Refusal('V2_API_KEY_ACCOUNT_MISMATCH');
    return findPropAccount(db, principal.owner, principal.userId, principal.propAccountId);
  }
  if (principal.kind === 'user') {
    const { owner, userId } = principal;
    if (named !== undefined) return findPropAccount(db, owner, userId, named);
    return (await listPropAccounts(db, owner, userId, { cursor: null, limit: 1 }))[0] ?? null;
  }
  if (named === undefined) throw unnamed();
  const account = await findAnyPropAccount(db, named);
  return account?.owner === principal.owner ? account : null;
}

/** An app acts for all its users: it has to say for which account. */
const unnamed = () =>
  new Refusal('INVALID_REQUEST', {
    fields: [{ loc: ['header', 'X-Prop-Account'], msg: 'must name an account of the app', type: 'required' }],
  });
