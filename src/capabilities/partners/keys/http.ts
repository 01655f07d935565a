import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { listPage } from '../../../kernel/pages.ts';
import { partnerOf } from '../../../kernel/principal.ts';
import { rollKey } from './commands.ts';
import { isKeyOf, listPartnerKeys } from './queries.ts';

type Deps = { db: Db };

const DEFAULT_OVERLAP_S = 86_400;
const NO_STORE = { 'Cache-Control': 'no-store' }; // the response contains a secret

/** Handles `GET /v1/keys`: list the partner's own keys. */
export const listOwnKeys: Handler<'listOwnKeys', Deps> = ({ deps, principal, query }) => {
  const { owner } = partnerOf(principal);
  const isKnown = (id: string) => isKeyOf(deps.db, owner, id);
  return listPage(query, { path: '/v1/keys', cursorOf: ({ key_id }) => key_id, isKnown }, (page) =>
    listPartnerKeys(deps.db, owner, page),
  );
};

/** Handles `POST /v1/keys/roll`: replace the key that the request is sent with. */
export const rollOwnKey: Handler<'rollOwnKey', Deps> = ({ principal, body, commit }) =>
  commit(async (db) => ({
    status: 200,
    body: await rollKey(db, partnerOf(principal).keyId, body?.overlap_seconds ?? DEFAULT_OVERLAP_S),
    headers: NO_STORE,
  }));
