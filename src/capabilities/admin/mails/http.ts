import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { listPage } from '../../../kernel/pages.ts';
import { isMail, listFailed } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/admin/mails/failed`: list e-mails that were given up. */
export const listFailedMails: Handler<'listFailedMails', Deps> = ({ deps, query }) =>
  listPage(
    query,
    { path: '/v2/admin/mails/failed', cursorOf: ({ mail_id }) => mail_id, isKnown: (id) => isMail(deps.db, id) },
    (page) => listFailed(deps.db, page),
  );
