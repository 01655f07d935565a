import type { Db } from '../../db/pool.ts';
import type { Handler } from '../../edge/handler.ts';
import { itemsOf } from '../../kernel/pages.ts';
import { listActions } from './queries.ts';

type Deps = { db: Db };

const DEFAULT_PAGE = 50;

/** Handles `GET /v2/admin/audit`: list what operators did. */
export const listOperatorActions: Handler<'listOperatorActions', Deps> = async ({ deps, query }) => {
  const { subject, cursor = null, limit = DEFAULT_PAGE } = query;
  const found = await listActions(deps.db, { subject: subject ?? null, cursor, limit: limit + 1 });
  const page = itemsOf(found, { path: '/v2/admin/audit', limit, asked: { subject }, cursorOf: ({ id }) => id });
  return { ...page, body: { ...page.body, items: page.body.items.map(({ id: _, ...shown }) => shown) } };
};
