import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { type Running, startProgram, until } from '../support/processes.ts';
import { type Received, startReceiver } from '../support/receivers.ts';
import { seeded } from '../support/seeded.ts';
import { type Deliveries, openDeliveries } from '../support/webhooks.ts';
import { manyEndpoints, type Reported } from './load.ts';

export type Kills = { events: number; endpoints: number; kills: number; failing: number; seed: number };

/** The final content of the receivers' ledger. `lost`: events without a response of 200. */
export type Audit = {
  events: number;
  requests: number;
  repeats: number;
  lost: number;
  unverified: number;
  changed: number;
};

/**
 * Sends events to receivers that fail a share of their requests, while workers are killed, and then compares the ledger
 * with the log.
 */
export async function deliverThroughKills({ events, endpoints, kills, failing, seed }: Kills): Promise<Audit> {
  const d = await openDeliveries({ LOG_LEVEL: 'info' });
  const next = seeded(seed);
  const accepted = new Set<string>();
  const receiver = await startReceiver((received) => {
    const isFailing = next() < failing;
    if (!isFailing) accepted.add(String(received.headers['x-service-delivery']));
    return isFailing ? (next() < 0.5 ? 'drop' : 500) : { status: 200, delayMs: Math.floor(next() * 40) };
  });
  const reported = await manyEndpoints(d, receiver.url, endpoints);
  const workers = [await startWorker(d), await startWorker(d)];

  for (let n = 0; n < events; n += 1) await d.emit((reported[n % endpoints] as Reported).app, 'r6', { n });
  for (let n = 0; n < kills; n += 1) {
    await sleep(200 + next() * 500);
    await d.hurry();
    workers.shift()?.kill('SIGKILL');
    workers.push(await startWorker(d));
  }
  const hurrying = setInterval(() => void d.hurry().catch(() => {}), 500);
  await until('every delivery ended', async () => (await open(d)) === 0, 120_000).finally(() =>
    clearInterval(hurrying),
  );

  for (const worker of workers) worker.kill('SIGTERM');
  await Promise.all(workers.map(({ exited }) => exited));
  const audit = await auditOf(d, receiver.ledger, accepted, reported);
  await receiver.close();
  await d.stop();
  return audit;
}

async function startWorker(d: Deliveries): Promise<Running> {
  const worker = startProgram('worker', d.settings);
  await worker.waitForLine(/worker is running/);
  return worker;
}

const open = async (d: Deliveries) =>
  (await d.rows(`select from webhook_deliveries where state in ('pending', 'sending')`)).length;

async function auditOf(d: Deliveries, ledger: Received[], accepted: Set<string>, reported: Reported[]): Promise<Audit> {
  const deliveries = await d.rows<{ id: string; body: string }>(
    'select d.id, event_body(v) as body from webhook_deliveries d join events v on v.id = d.event_id',
  );
  const bodies = new Map(deliveries.map(({ id, body }) => [id, body]));
  const secrets = new Map(reported.map(({ path, secret }) => [path, secret]));
  const unverified = ledger.filter(({ path, body, headers }) => {
    try {
      new Webhook(String(secrets.get(path))).verify(body, headers as Record<string, string>);
      return false;
    } catch {
      return true;
    }
  });
  return {
    events: deliveries.length,
    requests: ledger.length,
    repeats: ledger.length - new Set(ledger.map(({ headers }) => headers['x-service-delivery'])).size,
    lost: deliveries.filter(({ id }) => !accepted.has(id)).length,
    unverified: unverified.length,
    changed: ledger.filter(({ body, headers }) => bodies.get(String(headers['x-service-delivery'])) !== body).length,
  };
}
