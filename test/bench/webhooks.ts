import { cpus } from 'node:os';
import { stopPostgres } from '../support/postgres.ts';
import { startProgram, startScript, until } from '../support/processes.ts';
import { startReceiver } from '../support/receivers.ts';
import { openDeliveries } from '../support/webhooks.ts';
import { runWith } from '../webhooks/hanging.ts';
import { deliverThroughKills } from '../webhooks/kills.ts';
import { emitSteadily, lateness, manyEndpoints, quantile } from '../webhooks/load.ts';

/*
 * Deliveries of webhooks, measured (P4, R6, R7). Receivers run in this process; the client alone, and the worker, each in one of its own.
 *   node test/bench/webhooks.ts [throughput|latency|hanging|kills]
 */
const ENDPOINTS = 100;
const QUEUED = 20_000;
const IN_FLIGHT = 100;
const STEADY_PER_S = 100;

const parts: Record<string, () => Promise<void>> = { throughput, latency, hanging, kills };
const asked = process.argv.slice(2);
process.stdout.write(`${cpus().length} cores, ${cpus()[0]?.model}\n`);
for (const [name, part] of Object.entries(parts)) if (asked.length === 0 || asked.includes(name)) await part();
await stopPostgres();
process.exit(0);

/** Deliveries a second of one worker, beside what the HTTP client alone does with the same bodies in the same run. */
async function throughput(): Promise<void> {
  const d = await openDeliveries({ LOG_LEVEL: 'info' });
  const receiver = await startReceiver();
  const client = startScript('test/bench/webhook-client.ts', {}, [
    receiver.url,
    String(ENDPOINTS),
    String(QUEUED),
    String(IN_FLIGHT),
  ]);
  const alone = JSON.parse(await client.says(/perS/, 120_000)) as { perS: number };

  const told = await manyEndpoints(d, receiver.url, ENDPOINTS);
  for (const { app } of told) {
    await d.rows(
      `select count(emit_event($1, 'bench', jsonb_build_object('n', n))) from generate_series(1, $2::integer) n`,
      [app, QUEUED / ENDPOINTS],
    );
  }
  receiver.ledger.splice(0);
  const worker = startProgram('worker', d.settings);
  await worker.says(/worker is running/);
  await until('all deliveries', () => receiver.ledger.length >= QUEUED, 300_000);
  const [first, last] = [receiver.ledger[0]?.at ?? 0, receiver.ledger.at(-1)?.at ?? 0];
  const perS = QUEUED / ((last - first) / 1000);
  worker.kill('SIGTERM');
  await worker.exited;

  print(
    'P4 throughput',
    `${perS.toFixed(0)} deliveries/s; client alone ${alone.perS.toFixed(0)}/s; ratio ${(perS / alone.perS).toFixed(2)}`,
  );
  await receiver.close();
  await d.stop();
}

/** From the event to its first byte, at a steady rate. */
async function latency(): Promise<void> {
  const d = await openDeliveries({ LOG_LEVEL: 'info' });
  const receiver = await startReceiver();
  const told = await manyEndpoints(d, receiver.url, ENDPOINTS);
  const worker = startProgram('worker', d.settings);
  await worker.says(/worker is running/);
  await emitSteadily(d, told, { perS: STEADY_PER_S, forS: 2, seed: 1 });
  receiver.ledger.splice(0);
  await emitSteadily(d, told, { perS: STEADY_PER_S, forS: 10, seed: 2 });
  await d.settled(30_000);
  const late = receiver.ledger.map(lateness);
  worker.kill('SIGTERM');
  await worker.exited;

  print(
    'P4 latency',
    `${STEADY_PER_S} events/s: p50 ${quantile(late, 0.5).toFixed(1)} ms, p95 ${quantile(late, 0.95).toFixed(1)} ms, most ${Math.max(...late).toFixed(1)} ms`,
  );
  await receiver.close();
  await d.stop();
}

/** Twenty of a hundred endpoints never answer: what the others notice. */
async function hanging(): Promise<void> {
  const load = { endpoints: 100, hanging: 20, perS: 100, forS: 20, seed: 7 };
  const baseline = await runWith(load, false);
  const beside = await runWith(load, true);
  print(
    'R7',
    `healthy p95 ${baseline.p95.toFixed(1)} ms, with 20 of 100 hanging ${beside.p95.toFixed(1)} ms: ${(beside.p95 / baseline.p95).toFixed(2)} times`,
  );
}

/** Ten thousand events through kills, receivers failing 30 %. */
async function kills(): Promise<void> {
  print(
    'R6',
    JSON.stringify(await deliverThroughKills({ events: 10_000, endpoints: 50, kills: 10, failing: 0.3, seed: 11 })),
  );
}

function print(name: string, figures: string): void {
  process.stdout.write(`${name.padEnd(16)}${figures}\n`);
}
