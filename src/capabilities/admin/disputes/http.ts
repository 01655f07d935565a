import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { listPage } from '../../../kernel/pages.ts';
import { type Dispute, isDispute, listDisputed } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/admin/disputes`: list the disputes of payments. */
export const listDisputes: Handler<'listDisputes', Deps> = ({ deps, query }) => {
  const isKnown = (cursor: string) => isDispute(deps.db, placeOf(cursor).id);
  return listPage(query, { path: '/v2/admin/disputes', cursorOf, isKnown }, ({ cursor, limit }) =>
    listDisputed(deps.db, { isOpen: query.open ?? false, after: cursor === null ? null : placeOf(cursor), limit }),
  );
};

/**
 * The position of a dispute when it was listed. A dispute that is answered between two pages moves in the list; the next page still begins where it
 * was.
 */
const cursorOf = ({ needs_response, dispute_id }: Dispute) => `${needs_response} ${dispute_id}`;

function placeOf(cursor: string) {
  const [needed, id = ''] = cursor.split(' ');
  return { isOpen: needed === 'true', id };
}
