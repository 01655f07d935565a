import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { listPage } from '../../../kernel/pages.ts';
import { isAction, listActions } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/admin/audit`: list what operators did. */
export const listOperatorActions: Handler<'listOperatorActions', Deps> = async ({ deps, query }) => {
  const page = await listPage(
    query,
    { path: '/v2/admin/audit', cursorOf: ({ id }: { id: string }) => id, isKnown: (id) => isAction(deps.db, id) },
    (wanted) => listActions(deps.db, { subject: query.subject ?? null, ...wanted }),
  );
  return { ...page, body: page.body.map(({ id: _, ...shown }) => shown) };
};
