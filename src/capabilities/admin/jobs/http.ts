import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { listPage } from '../../../kernel/pages.ts';
import { operatorName } from '../../../kernel/principal.ts';
import { requireSafe, rerunJob } from './commands.ts';
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
export const rerunDeadJob: Handler<'rerunDeadJob', Deps> = async ({ principal, path, body, commit }) => {
  const reply = await commit(async (db) => ({
    status: 200 as const,
    body: await rerunJob(db, path.job_id, operatorName(principal), body.reason),
  }));
  requireSafe(reply.body); // after the commit: one that is rejected stays on record
  return reply;
};
