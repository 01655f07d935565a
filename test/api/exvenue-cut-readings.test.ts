import { expect } from 'chai';
import { sql } from 'slonik';
import { readConfig } from '../../src/config.ts';
import { openWorkerRuntime, type WorkerRuntime } from '../../src/runtime/worker.ts';
import watch from '../../workers/exchange/watch.ts';
import { atEachStatement, type Cut, dying } from '../support/cuts.ts';
import { addressedAs } from '../support/postgres.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const MOST = 60; // more than a reading has statements, twice
const HIGHEST = 99_000;
const APART = 100;

type Event = { type: string; data: Record<string, unknown> };

describe('a reading of a wallet that dies at any of its statements, and is done again', function () {
  this.timeout(120_000);
  let service: TestService;
  let runtime: WorkerRuntime;
  let trader: Awaited<ReturnType<TestService['wallet']>>;
  const resting: string[] = []; // each at a lower price than the one before
  before(async () => {
    service = await startService();
    service.exchange.setMid('BTC', '100000');
    trader = await service.wallet();
    const order = {
      pair: 'BTC',
      side: 'long',
      size: '0.001',
      order_type: 'limit',
      take_profit: 120_000,
      stop_loss: 50_000,
    };
    for (let n = 0; n < MOST; n += 1)
      resting.push((await trader.post(ORDERS, { ...order, price: HIGHEST - APART * n })).body.order_id);
    await service.stopWorkers();
    const config = readConfig(addressedAs('worker', service.settings));
    runtime = await openWorkerRuntime(config, service.log.logger, service.runtime.metrics);
    await read();
  });
  after(async () => {
    await runtime.close();
    await service.stop();
  });

  /** A reading, and one more if it dies at `cut`. */
  async function read(cut?: Cut): Promise<string[]> {
    const isDue = () =>
      service.db.query(sql.unsafe`update exchange_cursors set due_at = now() where due_at < 'infinity'`);
    await isDue();
    const sent = cut ? await dying(() => watch({}, runtime), cut) : [];
    await isDue();
    await watch({}, runtime);
    return sent;
  }

  it('reports once what was filled, and whether its exits were placed', async () => {
    let filled = 0;
    await atEachStatement(async (cut) => {
      const order = resting[filled] ?? '';
      service.exchange.setMid('BTC', String(HIGHEST - APART * (filled + 0.5)));
      filled += 1;

      const sent = await read(cut);
      await read(); // of an order that has ended the exits are looked at
      const events = ((await trader.get('/v1/events?limit=500')).body as Event[]).filter((event) =>
        JSON.stringify(event).includes(order),
      );
      const shown = (await trader.get(`${ORDERS}/${order}`)).body;

      const where = `${cut.how} ${cut.at}: ${sent.at(-1)}`;
      const opens = filled === 1 ? 'opened' : 'increased';
      const told = events.map(({ type, data }) => `${type} ${data.lifecycle ?? data.change}`);
      expect(told, where).to.have.members([
        'order.updated resting',
        'order.updated filled',
        `position.updated ${opens}`,
      ]);
      expect(shown, where).to.include({ status: 'filled', trigger_status: 'placed' });
      return sent;
    });
    expect(filled).to.be.within(20, MOST);
  });
});
