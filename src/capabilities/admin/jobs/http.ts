import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { listPage } from '../../../kernel/pages.ts';
import { operatorName } from '../../../kernel/principal.ts';
import { rerunJob } from './commands.ts';
import { isJobId, listDead } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/admin/jobs/dead`: list jobs whose attempts are used up. */
export const listDeadJobs: Handler<'listDeadJobs', Deps> = ({ deps, query }) =>
  listPage(
    query,
    { path: '/v2/admin/jobs/dead', cursorOf: ({ job_id }) => job_id, isKnown: async (id) => isJobId(id) },
    (page) => listDead(deps.db, page),
  );

/** Handles `POST /v2/admin/jobs/{job_id}/rerun`: run a dead job again if that is safe. */
export const rerunDeadJob: Handler<'rerunDeadJob', Deps> = async ({ deps, principal, path, body }) => ({
  status: 200,
  // Not by `commit`: one that is rejected stays on record.
  body: await rerunJob(deps.db, path.job_id, operatorName(principal), body.reason),
});
