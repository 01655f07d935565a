import { namesIn } from '../../contract/events.ts';
import type { Handler } from '../../contract/handler.ts';
import type { Db } from '../../db/pool.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import { DEFAULT_LIMIT, listPage } from '../../kernel/pages.ts';
import { countFitting, type Event, type EventFilter, hasEvent, listEvents } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/events`: read the app's event log. */
export const listAppEvents: Handler<'listAppEvents', Deps> = ({ deps, principal, query }) =>
  eventPage(deps, principal.owner, '/v2/events', query);

/** Handles `GET /v1/events`: read the partner's event log. Throws INVALID_REQUEST for a type of event that a partner never has. */
export const listPartnerEvents: Handler<'listPartnerEvents', Deps> = ({ deps, principal, query }) => {
  const { type } = query;
  if (type !== undefined && !OF_PARTNERS.includes(type))
    throw new ApiError('INVALID_REQUEST', {
      fields: [{ loc: ['query', 'type'], msg: `must be one of ${OF_PARTNERS.join(', ')}`, type: 'enum' }],
    });
  return eventPage(deps, principal.owner, '/v1/events', query);
};

/** An app may emit events of any name, a partner none. */
const OF_PARTNERS: readonly string[] = [...namesIn('partner'), 'webhook.test'];

type EventQuery = EventFilter & { after?: string; limit?: number; cursor?: string };

/** A page of an owner's events. Throws V1_EVENT_UNKNOWN if it has no event `after`. */
async function eventPage({ db }: Deps, owner: OwnerId, path: string, { after, ...paged }: EventQuery) {
  const isKnown = (id: string) => hasEvent(db, owner, id);
  if (after !== undefined && !(await isKnown(after))) throw new ApiError('V1_EVENT_UNKNOWN');
  const from = { after: paged.cursor ?? after ?? null, type: paged.type, since: paged.since };
  const most = await countFitting(db, owner, { ...from, limit: paged.limit ?? DEFAULT_LIMIT });
  return listPage(paged, { path, cursorOf: ({ id }: Event) => id, isKnown, most }, ({ limit }) =>
    listEvents(db, owner, { ...from, limit }),
  );
}
