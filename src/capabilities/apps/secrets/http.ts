import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { listPage } from '../../../kernel/pages.ts';
import { appOf } from '../../../kernel/principal.ts';
import { isSecretOf, listSecrets } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/apps/me/secrets`: list the client secrets of the app. */
export const listOwnSecrets: Handler<'listOwnSecrets', Deps> = ({ deps, principal, query }) => {
  const { owner } = appOf(principal);
  const isKnown = (id: string) => isSecretOf(deps.db, owner, id);
  return listPage(query, { path: '/v2/apps/me/secrets', cursorOf: ({ secret_id }) => secret_id, isKnown }, (page) =>
    listSecrets(deps.db, owner, page),
  );
};
