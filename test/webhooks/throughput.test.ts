import { expect } from 'chai';
import pg from 'pg';
import { webhooks } from '../../src/adapters/webhook/index.ts';
import { until } from '../support/processes.ts';
import { startReceiver } from '../support/receivers.ts';
import { startService } from '../support/service.ts';
import { openDeliveries, writingTo } from '../support/webhooks.ts';
import { manyEndpoints, quantile } from './load.ts';

const QUEUED = 2_000;
const ENDPOINTS = 50;

describe('a queue of deliveries', () => {
  it('empties at a fair share of what the HTTP client alone does', async function () {
    this.timeout(60_000);
    const d = await openDeliveries();
    const receiver = await startReceiver();
    const alone = await posting(receiver.url);
    const told = await manyEndpoints(d, receiver.url, ENDPOINTS);
    for (const { app } of told) await d.rows(emitting, [app, QUEUED / ENDPOINTS]);
    receiver.ledger.splice(0);

    await d.startWorker();
    await until('all deliveries', () => receiver.ledger.length >= QUEUED, 40_000);

    const [first, last] = [receiver.ledger[0]?.at ?? 0, receiver.ledger.at(-1)?.at ?? 0];
    const perS = QUEUED / ((last - first) / 1000);
    console.log(
      `    ${perS.toFixed(0)} deliveries/s; client alone ${alone.toFixed(0)}/s; ratio ${(perS / alone).toFixed(2)}`,
    );
    expect(perS / alone).to.be.at.least(0.25); // 0.4 is the aim, measured by the bench on a machine at rest
    await d.settled();
    await receiver.close();
    await d.stop();
  });

  it('leaves orders about as quick as they are', async function () {
    this.timeout(60_000);
    const service = await startService();
    const receiver = await startReceiver();
    const trader = await service.trader();
    const order = { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.001 };
    const ordersTake = async (count: number) => {
      const took: number[] = [];
      for (let n = 0; n < count; n += 1) {
        const at = performance.now();
        await trader.post('/v1/orders/netvenue', order);
        took.push(performance.now() - at);
      }
      return quantile(took, 0.5);
    };
    const pool = new pg.Pool({ connectionString: String(service.settings.DATABASE_URL), max: 2 });
    const rows = async (text: string, values?: unknown[]) => (await pool.query(text, values)).rows;
    const told = await manyEndpoints(writingTo(rows, service.settings), receiver.url, ENDPOINTS);

    await ordersTake(10);
    const idle = await ordersTake(30);
    await Promise.all(told.map(({ app }) => rows(emitting, [app, QUEUED / ENDPOINTS])));
    const beside = await ordersTake(30);

    console.log(
      `    order p50 ${idle.toFixed(1)} ms idle, ${beside.toFixed(1)} ms beside; ${receiver.ledger.length} delivered meanwhile`,
    );
    expect(beside).to.be.at.most(idle + 60); // web, worker, venue and receivers share one process here; P6 is measured by the bench
    await pool.end();
    await receiver.close();
    await service.stop();
  });

  const emitting = `select count(emit_event($1, 'load', jsonb_build_object('n', n))) from generate_series(1, $2::integer) n`;

  /** Posts a second of the client alone, to the same receiver. */
  async function posting(url: string): Promise<number> {
    const adapter = webhooks({ allowLoopback: true });
    const secrets = [`whsec_${Buffer.alloc(33, 's').toString('base64')}`];
    const body = JSON.stringify({
      id: `evt_${'0'.repeat(32)}`,
      type: 'load',
      data: { n: 1 },
      timestamp: new Date().toISOString(),
    });
    const startedAt = performance.now();
    let sent = 0;
    const post = async () => {
      while (sent < QUEUED) await adapter.send({ deliveryId: `whd_${sent++}`, eventType: 'load', url, body, secrets });
    };
    await Promise.all(Array.from({ length: 100 }, post));
    adapter.close();
    return QUEUED / ((performance.now() - startedAt) / 1000);
  }
});
