import type { Handler } from '../../contract/handler.ts';
import type { Db } from '../../db/pool.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import { findOwnRecords } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v1/search`: find what an id of the partner names. */
export const searchPartnerRecords: Handler<'searchPartnerRecords', Deps> = async ({ deps, principal, query }) => ({
  status: 200,
  body: [...(await findOwnRecords(deps.db, principal.owner as OwnerId, query.q.trim()))], // as: a partner's
});

/** Handles `GET /v2/search`: find what an id of the app names. */
export const searchAppRecords: Handler<'searchAppRecords', Deps> = async ({ deps, principal, query }) => ({
  status: 200,
  body: [...(await findOwnRecords(deps.db, principal.owner as OwnerId, query.q.trim()))], // as: an app's
});
