import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { listPage } from '../../../kernel/pages.ts';
import { provenUserOf, userOf } from '../../../kernel/principal.ts';
import { budgetOf } from '../../../kernel/throttles.ts';
import { findDefaultAccount, findPropAccount } from '../../accounts/prop/queries.ts';
import { mintApiKey, revokeKey } from './commands.ts';
import { isKeyOf, listKeys } from './queries.ts';

type Deps = { db: Db };

/** Creates an API key. Throws V2_PROP_ACCOUNT_UNKNOWN. */
export const createApiKey: Handler<'createApiKey', Deps> = async ({ principal, body, throttle, commit }) => {
  const user = provenUserOf(principal);
  const { owner, userId } = user;
  await throttle(budgetOf('api_keys', userId));
  return commit(async (db) => {
    const account =
      body.prop_account_id === undefined
        ? await findDefaultAccount(db, owner, userId)
        : await findPropAccount(db, owner, userId, body.prop_account_id);
    if (!account) throw new ApiError('V2_PROP_ACCOUNT_UNKNOWN');
    const minted = await mintApiKey(db, user, account.id, body.label);
    return { status: 200, body: minted };
  });
};

/** Lists the user's API keys. */
export const listApiKeys: Handler<'listApiKeys', Deps> = async ({ deps, principal, query }) => {
  const { owner, userId } = userOf(principal);
  const isKnown = (id: string) => isKeyOf(deps.db, owner, userId, id);
  return listPage(query, { path: '/v2/api-keys', cursorOf: ({ id }) => id, isKnown }, (page) =>
    listKeys(deps.db, owner, userId, page),
  );
};

/** Revokes an API key. */
export const revokeApiKey: Handler<'revokeApiKey', Deps> = ({ principal, path, commit }) =>
  commit(async (db) => {
    const { owner, userId } = userOf(principal);
    await revokeKey(db, owner, userId, path.api_key_id);
    return { status: 200, body: { revoked: true } };
  });
