import type { Db } from '../db/pool.ts';
import type { Handler } from '../edge/handler.ts';
import { ApiError } from '../kernel/errors.ts';
import { listPage } from '../kernel/pages.ts';
import { hasEvent, listEvents } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/events`: read the event log. */
export const listAppEvents: Handler<'listAppEvents', Deps> = async ({ deps, principal, query }) => {
  const { after, ...paged } = query;
  const isKnown = (id: string) => hasEvent(deps.db, principal.owner, id);
  if (after !== undefined && !(await isKnown(after))) throw new ApiError('V2_EVENT_UNKNOWN');
  return listPage(paged, { path: '/v2/events', cursorOf: ({ id }) => id, isKnown }, ({ cursor, limit }) =>
    listEvents(deps.db, principal.owner, cursor ?? after ?? null, limit),
  );
};
