import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { findRecords } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/admin/search`: find what an id or an e-mail address names. */
export const searchRecords: Handler<'searchRecords', Deps> = async ({ deps, query }) => {
  const found = await findRecords(deps.db, query.q.trim());
  return {
    status: 200,
    body: {
      records: found.map(({ is_more: _, ...record }) => record),
      more: [...new Set(found.filter(({ is_more }) => is_more).map(({ kind }) => kind))],
    },
  };
};
