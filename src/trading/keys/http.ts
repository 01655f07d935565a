import { findPropAccount, listPropAccounts } from '../../accounts/prop/queries.ts';
import type { Handler } from '../../edge/handler.ts';
import { userOf } from '../../kernel/principal.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { mintApiKey, revokeKey } from './intents.ts';
import { listKeys } from './queries.ts';

export const createApiKey: Handler<'createApiKey'> = async ({ runtime: { db }, principal, body }) => {
  const { owner, userId } = userOf(principal);
  const account =
    body.prop_account_id === undefined
      ? (await listPropAccounts(db, owner, userId, { cursor: null, limit: 1 }))[0]
      : await findPropAccount(db, owner, userId, body.prop_account_id);
  if (!account) throw new Refusal('V2_PROP_ACCOUNT_UNKNOWN');
  const minted = await mintApiKey(db, { owner, userId, propAccountId: account.id }, body.label);
  return { status: 200, body: minted, headers: { 'Cache-Control': 'no-store' } };
};

export const listApiKeys: Handler<'listApiKeys'> = async ({ runtime, principal }) => {
  const { owner, userId } = userOf(principal);
  return { status: 200, body: [...(await listKeys(runtime.db, owner, userId))] };
};

export const revokeApiKey: Handler<'revokeApiKey'> = async ({ runtime, principal, path }) => {
  const { owner, userId } = userOf(principal);
  await revokeKey(runtime.db, owner, userId, path.api_key_id);
  return { status: 200, body: { revoked: true } };
};
