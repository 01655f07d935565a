import { setTimeout as sleep } from 'node:timers/promises';
import { openStage, type Stage } from '../chaos/stage.ts';
import type { Caller } from '../support/caller.ts';
import { stopPostgres } from '../support/postgres.ts';
import { startProgram, startScript } from '../support/processes.ts';
import { writingTo } from '../support/webhooks.ts';
import { manyEndpoints, quantile } from '../webhooks/load.ts';

/*
 * P6: what an order notices of 100,000 webhook deliveries queued and under way.
 *   node test/bench/webhooks-orders.ts [deliveries] [split]
 * With `split`, trading and outbound run as two worker processes; otherwise in one.
 */
const QUEUED = Number(process.argv[2] ?? 100_000);
const SPLIT = process.argv.includes('split');
const ENDPOINTS = 100;
const ORDERS = 150;
const PROCESSING_MS = 50; // the venue's own work on an order

const stage = await openStage({ workers: 0, party: { processingMs: PROCESSING_MS } });
for (const runners of SPLIT ? ['trading', 'outbound'] : ['all']) {
  const worker = startProgram('worker', { ...stage.settings, WORKER_RUNNERS: runners });
  await worker.says(/worker is running/);
}
const receiver = startScript('test/bench/webhook-receiver.ts', {});
const { url } = JSON.parse(await receiver.says(/url/)) as { url: string };
const [trader] = (await stage.traders(1)) as [Caller];

await ordersTake(20);
const idle = await ordersTake(ORDERS);
await queue(stage);
await sleep(1_000);
const before = await delivered();
const startedAt = Date.now();
const beside = await ordersTake(ORDERS);
const perS = ((await delivered()) - before) / ((Date.now() - startedAt) / 1000);
const left = QUEUED - (await delivered());

process.stdout.write(
  `P6              order p50 ${quantile(idle, 0.5).toFixed(1)} ms idle, ${quantile(beside, 0.5).toFixed(1)} ms beside: ${(quantile(beside, 0.5) / quantile(idle, 0.5)).toFixed(2)} times; ` +
    `p95 ${quantile(idle, 0.95).toFixed(1)} and ${quantile(beside, 0.95).toFixed(1)} ms; ${perS.toFixed(0)} deliveries/s meanwhile, ${left} left\n`,
);
receiver.kill('SIGKILL');
await stage.close();
await stopPostgres();
process.exit(0);

async function ordersTake(count: number): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const at = performance.now();
    await trader.post('/v1/orders/netvenue', { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.001 });
    took.push(performance.now() - at);
  }
  return took;
}

async function queue({ rows, settings }: Stage): Promise<void> {
  const told = await manyEndpoints(writingTo(rows, settings), url, ENDPOINTS);
  await rows(`update webhook_endpoints set lanes = 15`); // nothing starts while the queue is being filled
  for (const { app } of told) {
    await rows(
      `select count(emit_event($1, 'bench', jsonb_build_object('n', n))) from generate_series(1, $2::integer) n`,
      [app, QUEUED / ENDPOINTS],
    );
  }
  await rows(`update webhook_endpoints set lanes = 0`);
  await rows(`select rouse_endpoint(id) from webhook_endpoints`);
}

async function delivered(): Promise<number> {
  const [row] = await stage.rows<{ count: string }>(
    `select count(*) from webhook_deliveries where state = 'delivered'`,
  );
  return Number(row?.count);
}
