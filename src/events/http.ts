import type { Handler } from '../edge/handler.ts';
import { pageOf } from '../kernel/pages.ts';
import { Refusal } from '../kernel/refusals.ts';
import { hasEvent, listEvents } from './queries.ts';

const PAGE = 100;

export const listAppEvents: Handler<'listAppEvents'> = async ({ runtime, principal, query }) => {
  const { after = null, limit = PAGE } = query;
  if (after !== null && !(await hasEvent(runtime.db, principal.owner, after))) throw new Refusal('V2_EVENT_UNKNOWN');
  const found = await listEvents(runtime.db, principal.owner, after, limit + 1);
  return pageOf(found, { path: '/v2/events', cursor: 'after', limit });
};
