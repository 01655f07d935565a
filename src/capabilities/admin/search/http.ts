import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { findRecords } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/admin/search`: find what an id or an e-mail address names. */
export const searchRecords: Handler<'searchRecords', Deps> = async ({ deps, query }) => ({
  status: 200,
  body: { records: [...(await findRecords(deps.db, query.q.trim()))] },
});
