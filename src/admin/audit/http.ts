import type { Handler } from '../../edge/handler.ts';
import { itemsOf } from '../../kernel/pages.ts';
import { listActions } from './queries.ts';

const DEFAULT_PAGE = 50;

export const listOperatorActions: Handler<'listOperatorActions'> = async ({ runtime, query }) => {
  const { subject, cursor = null, limit = DEFAULT_PAGE } = query;
  const found = await listActions(runtime.db, { subject: subject ?? null, cursor, limit: limit + 1 });
  const page = itemsOf(found, { path: '/v2/admin/audit', limit, asked: { subject }, cursorOf: ({ id }) => id });
  return { ...page, body: { ...page.body, items: page.body.items.map(({ id: _, ...shown }) => shown) } };
};
