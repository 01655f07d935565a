import type { Handler } from '../../contract/handler.ts';
import type { Db } from '../../db/pool.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import { listPage } from '../../kernel/pages.ts';
import { type ApiRequest, hasRequest, listDays, listRequests, type RequestFilter } from './queries.ts';

type Deps = { db: Db };
type Query = RequestFilter & { limit?: number; cursor?: string };

const requests = ({ db }: Deps, owner: OwnerId, path: string, query: Query) =>
  listPage(query, { path, cursorOf: ({ id }: ApiRequest) => id, isKnown: (id) => hasRequest(db, owner, id) }, (page) =>
    listRequests(db, owner, query, page),
  );

const days = async ({ db }: Deps, owner: OwnerId) => ({ status: 200 as const, body: [...(await listDays(db, owner))] });

/** Handles `GET /v1/requests`: list the partner's requests. */
export const listPartnerRequests: Handler<'listPartnerRequests', Deps> = ({ deps, principal, query }) =>
  requests(deps, principal.owner as OwnerId, '/v1/requests', query); // as: a partner's

/** Handles `GET /v2/requests`: list the app's requests. */
export const listAppRequests: Handler<'listAppRequests', Deps> = ({ deps, principal, query }) =>
  requests(deps, principal.owner as OwnerId, '/v2/requests', query); // as: an app's

/** Handles `GET /v1/usage`: count the partner's requests by day. */
export const listPartnerUsage: Handler<'listPartnerUsage', Deps> = ({ deps, principal }) =>
  days(deps, principal.owner as OwnerId); // as: a partner's

/** Handles `GET /v2/usage`: count the app's requests by day. */
export const listAppUsage: Handler<'listAppUsage', Deps> = ({ deps, principal }) =>
  days(deps, principal.owner as OwnerId); // as: an app's
