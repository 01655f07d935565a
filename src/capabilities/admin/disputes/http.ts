import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { listPage } from '../../../kernel/pages.ts';
import { type Dispute, isDispute, listDisputed } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/admin/disputes`: list the disputes of payments. */
export const listDisputes: Handler<'listDisputes', Deps> = ({ deps, query }) => {
  const isKnown = (id: string) => isDispute(deps.db, id);
  const shown = { path: '/v2/admin/disputes', cursorOf: (row: Dispute) => row.dispute_id, isKnown };
  return listPage(query, shown, (page) => listDisputed(deps.db, { isOpen: query.open ?? false, ...page }));
};
