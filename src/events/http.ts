import type { Db } from '../db/pool.ts';
import type { Handler } from '../edge/handler.ts';
import { ApiError } from '../kernel/errors.ts';
import { pageOf } from '../kernel/pages.ts';
import { hasEvent, listEvents } from './queries.ts';

type Deps = { db: Db };

const PAGE = 100;

/** Handles `GET /v2/events`: read the event log. */
export const listAppEvents: Handler<'listAppEvents', Deps> = async ({ deps, principal, query }) => {
  const { after = null, limit = PAGE } = query;
  if (after !== null && !(await hasEvent(deps.db, principal.owner, after))) throw new ApiError('V2_EVENT_UNKNOWN');
  const found = await listEvents(deps.db, principal.owner, after, limit + 1);
  return pageOf(found, { path: '/v2/events', cursor: 'after', limit });
};
