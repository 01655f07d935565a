import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { sameSql } from './same-sql.ts';
import { type Payload, takeOver } from './taken.ts';

/*
 * A reference of P3: BullMQ on a Redis that has every write on disk before it responds, with as many jobs in progress as
 * our worker has. Works on DATABASE_URL and REDIS_PORT. Jobs of kind bench/bull, queued by the bench, are moved into
 * its own queue.
 */
const QUEUE = 'bench';
const CONCURRENCY = 100;

const connection = { host: '127.0.0.1', port: Number(process.env.REDIS_PORT), maxRetriesPerRequest: null };
const redis = new Redis(connection);
const durable = { appendonly: 'yes', appendfsync: 'always' };
for (const [name, expected] of Object.entries(durable)) {
  const said = String(await redis.config('GET', name));
  if (!said.includes(expected)) throw new Error(`Redis is not durable: ${said}`);
}
const queue = new Queue<Payload>(QUEUE, { connection, defaultJobOptions: { removeOnComplete: true } });
const worker = new Worker<Payload>(QUEUE, (job) => sameSql(job.data.intent_id), {
  connection,
  concurrency: CONCURRENCY,
});
worker.on('error', (error) => process.stderr.write(`${error}\n`));
await worker.waitUntilReady();
process.stdout.write('BullMQ is working\n');
await takeOver('bench/bull', (payloads) => queue.addBulk(payloads.map((data) => ({ name: QUEUE, data }))));
