import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import PgBoss from 'pg-boss';
import { sameSql } from './alone-sql.ts';

/*
 * A reference of P3: pg-boss, fetching batches as large as our concurrency. Works on DATABASE_URL. It first moves jobs
 * of kind bench/boss, queued by the bench, into its own queue.
 */
const QUEUE = 'bench';
const BATCH = 100;
const IDLE_MS = 100;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
const boss = new PgBoss({ connectionString: String(process.env.DATABASE_URL), max: 10 });
await boss.start();
await boss.createQueue(QUEUE);
process.stdout.write('pg-boss is working\n');

for (;;) {
  const jobs = await boss.fetch<{ intent_id: string }>(QUEUE, { batchSize: BATCH });
  if (jobs.length === 0) await takeOver();
  await Promise.all(jobs.map(({ data }) => sameSql(data.intent_id)));
  if (jobs.length > 0)
    await boss.complete(
      QUEUE,
      jobs.map(({ id }) => id),
    );
}

async function takeOver(): Promise<void> {
  const { rows } = await pool.query<{ payload: { intent_id: string } }>(
    `delete from queue_jobs j
     where j.task = 'bench/boss'
     returning j.payload`,
  );
  if (rows.length > 0) await boss.insert(rows.map(({ payload }) => ({ name: QUEUE, data: payload })));
  else await sleep(IDLE_MS);
}
