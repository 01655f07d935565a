import type { Handler } from '../../edge/handler.ts';
import { pageOf } from '../../kernel/pages.ts';
import { appOf, userOf } from '../../kernel/principal.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { openFreeAccount as acceptFreeAccount } from './intents.ts';
import { recordSync } from './outcomes.ts';
import {
  findAccountOfIntent,
  findPropAccount,
  listPropAccounts as listAccounts,
  listFailedAccounts,
  type PropAccount,
} from './queries.ts';
import { shownAccount } from './views.ts';

export const openFreeAccount: Handler<'openFreeAccount'> = async (call) => {
  const { acceptFreeAccount: accept, config, db, until } = call.runtime;
  const { userId } = userOf(call.principal);
  const who = { accept, asking: call.asking, deadlineMs: config.ACCOUNT_DEADLINE_MS };
  const accepted = await acceptFreeAccount(who, userId, call.body);
  const { id } = await getAccountOfIntent();
  const account = await until(id, call.waitMs, async () => {
    const row = await getAccountOfIntent();
    return { row, ended: row.status !== 'provisioning' };
  });
  return { status: 200, body: shownAccount(account), headers: { 'Intent-Id': accepted.id } };

  async function getAccountOfIntent(): Promise<PropAccount> {
    const account = await findAccountOfIntent(db, accepted.id);
    if (!account) throw new Error('An accepted creation has no account');
    return account;
  }
};

const PAGE = 100;

export const listPropAccounts: Handler<'listPropAccounts'> = async ({ runtime, principal, query }) => {
  const { owner, userId } = userOf(principal);
  const { cursor = null, limit = PAGE } = query;
  const found = await listAccounts(runtime.db, owner, userId, { cursor, limit: limit + 1 });
  return pageOf(found.map(shownAccount), { path: '/v2/payments/prop-accounts', cursor: 'cursor', limit });
};

export const getPropAccount: Handler<'getPropAccount'> = async ({ runtime, principal, path }) => {
  const { owner, userId } = userOf(principal);
  const account = await findPropAccount(runtime.db, owner, userId, path.id);
  if (!account) throw new Refusal('V2_PROP_ACCOUNT_UNKNOWN');
  return { status: 200, body: shownAccount(account) };
};

export const listFailedPropAccounts: Handler<'listFailedPropAccounts'> = async ({ runtime, principal, query }) => {
  const owner = principal.kind === 'admin' ? null : appOf(principal).owner;
  const { cursor = null, limit = PAGE } = query;
  const found = await listFailedAccounts(runtime.db, owner, { cursor, limit: limit + 1 });
  return pageOf(found.map(shownAccount), { path: '/v2/payments/prop-accounts/failed', cursor: 'cursor', limit });
};

export const syncPropAccount: Handler<'syncPropAccount'> = async ({ runtime, principal, path }) => {
  const { owner, userId } = userOf(principal);
  const account = await findPropAccount(runtime.db, owner, userId, path.prop_account_id);
  if (!account) throw new Refusal('V2_PROP_ACCOUNT_UNKNOWN');
  const { synthetic_hotkey } = account;
  const looked = synthetic_hotkey === null ? null : await runtime.reads.dashboard(synthetic_hotkey);
  const { synced } = await recordSync(runtime.db, account, looked?.kind === 'found' ? looked.said : null);
  const now = (await findPropAccount(runtime.db, owner, userId, account.id)) ?? account;
  return {
    status: 200,
    body: {
      prop_account_id: now.id,
      status: now.status,
      subaccount_id: now.subaccount_id,
      synthetic_hotkey: now.synthetic_hotkey,
      synced,
    },
  };
};
