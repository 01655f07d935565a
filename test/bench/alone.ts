import { Logger, run } from 'graphile-worker';
import pg from 'pg';
import { sameSql } from './alone-sql.ts';

/*
 * The reference of P3: graphile-worker with the settings of the trading runner, without any other code of the service.
 * Works on DATABASE_URL.
 */
const CONCURRENCY = 100;

await run({
  pgPool: new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 }),
  logger: new Logger(() => () => {}),
  preset: {
    worker: {
      concurrentJobs: CONCURRENCY,
      pollInterval: 500,
      localQueue: { size: CONCURRENCY },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
  taskList: { 'bench/alone': (payload) => sameSql((payload as { intent_id: string }).intent_id) },
});
process.stdout.write('graphile-worker is working\n');
