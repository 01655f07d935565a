import type { Db } from '../../db/pool.ts';
import type { Handler } from '../../edge/handler.ts';
import { itemsOf } from '../../kernel/pages.ts';
import { listFailed } from './queries.ts';

type Deps = { db: Db };

const DEFAULT_PAGE = 50;

/** Handles `GET /v2/admin/mails/failed`: list e-mails that were given up. */
export const listFailedMails: Handler<'listFailedMails', Deps> = async ({ deps, query }) => {
  const { cursor = null, limit = DEFAULT_PAGE } = query;
  const found = await listFailed(deps.db, { cursor, limit: limit + 1 });
  return itemsOf(found, { path: '/v2/admin/mails/failed', limit, asked: {}, cursorOf: ({ mail_id }) => mail_id });
};
