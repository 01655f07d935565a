import { PgBoss } from 'pg-boss';
import { sameSql } from './same-sql.ts';
import { type Payload, takeOver } from './taken.ts';

/*
 * A reference of P3: pg-boss, with as many jobs in progress as our worker has, and no pause while batches come full.
 * Works on DATABASE_URL. Jobs of kind bench/boss, queued by the bench, are moved into its own queue.
 */
const QUEUE = 'bench';
const BATCH = 50;
const FETCHERS = 2; // so that one batch works while the other one waits for its slowest job

const boss = new PgBoss({ connectionString: String(process.env.DATABASE_URL), max: 10 });
boss.on('error', (error) => process.stderr.write(`${error}\n`));
await boss.start();
await boss.createQueue(QUEUE);
const options = { batchSize: BATCH, localConcurrency: FETCHERS, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
await boss.work<Payload>(QUEUE, options, async (jobs) => {
  await Promise.all(jobs.map(({ data }) => sameSql(data.intent_id)));
});
process.stdout.write('pg-boss is working\n');
await takeOver('bench/boss', (payloads) =>
  boss.insert(
    QUEUE,
    payloads.map((data) => ({ data })),
  ),
);
