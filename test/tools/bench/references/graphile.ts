import { Logger, run } from 'graphile-worker';
import pg from 'pg';
import { sameSql } from './same-sql.ts';

/*
 * The reference of P3: graphile-worker without any other code of the service, with the numbers of jobs, connections and
 * prefetched jobs, and the batching, of its documentation (worker.graphile.org/docs/performance). Works on DATABASE_URL.
 */
const CONCURRENT_JOBS = 24;

await run({
  pgPool: new pg.Pool({ connectionString: process.env.DATABASE_URL, max: CONCURRENT_JOBS + 1 }),
  logger: new Logger(() => () => {}),
  preset: {
    worker: {
      concurrentJobs: CONCURRENT_JOBS,
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
  taskList: { 'bench/alone': (payload) => sameSql((payload as { intent_id: string }).intent_id) },
});
process.stdout.write('graphile-worker is working\n');
