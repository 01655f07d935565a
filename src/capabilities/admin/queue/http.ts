import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { readQueueHealth } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/admin/queue`: read the state of the queue and the workers. */
export const getQueueHealth: Handler<'getQueueHealth', Deps> = async ({ deps }) => ({
  status: 200,
  body: await readQueueHealth(deps.db),
});
