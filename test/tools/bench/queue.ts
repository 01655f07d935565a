import { webhooks } from '../../../src/adapters/webhook/index.ts';
import { until } from '../../support/processes.ts';
import { startReceiver } from '../../support/receivers.ts';
import { openDeliveries } from '../../support/webhooks.ts';
import { manyEndpoints } from '../../webhooks/load.ts';
import { atLeast, type Extent, type Figures } from './figures.ts';

const ENDPOINTS = 50;
const AIM = 0.4;
const FLOOR = 0.25;
const EMIT = `select count(emit_event($1, 'load', jsonb_build_object('n', n))) from generate_series(1, $2::integer) n`;

/**
 * QUEUE: how fast a queue of deliveries empties in one process that also holds the receiver, next to the HTTP client
 * alone.
 */
export async function measureQueue({ small }: Extent): Promise<Figures> {
  const queued = small ? 500 : 2_000;
  const d = await openDeliveries();
  const receiver = await startReceiver();
  const alone = await posting(receiver.url, queued);
  const reported = await manyEndpoints(d, receiver.url, ENDPOINTS);
  for (const { app } of reported) await d.rows(EMIT, [app, queued / ENDPOINTS]);
  receiver.ledger.splice(0);

  await d.startWorker();
  await until('all deliveries', () => receiver.ledger.length >= queued, 40_000);

  const [first, last] = [receiver.ledger[0]?.at ?? 0, receiver.ledger.at(-1)?.at ?? 0];
  const perS = queued / ((last - first) / 1000);
  await d.settled();
  await receiver.close();
  await d.stop();
  return {
    name: 'QUEUE',
    title: `${queued} queued deliveries to ${ENDPOINTS} endpoints, worker and receiver in one process, beside the HTTP client alone`,
    rows: [atLeast(AIM, { what: 'delivered', figure: perS, reference: alone, ratio: perS / alone, unit: '/s' }, FLOOR)],
  };
}

/** Posts a number of deliveries with the client alone, to the same receiver. Returns how many it sent per second. */
async function posting(url: string, count: number): Promise<number> {
  const adapter = webhooks({ allowLoopback: true });
  const secrets = [`whsec_${Buffer.alloc(33, 's').toString('base64')}`];
  const id = `evt_${'0'.repeat(32)}`;
  const body = JSON.stringify({ id, type: 'load', data: { n: 1 }, timestamp: new Date().toISOString() });
  const startedAt = performance.now();
  let sent = 0;
  const post = async () => {
    while (sent < count) await adapter.send({ deliveryId: `whd_${sent++}`, eventType: 'load', url, body, secrets });
  };
  await Promise.all(Array.from({ length: 100 }, post));
  adapter.close();
  return count / ((performance.now() - startedAt) / 1000);
}
