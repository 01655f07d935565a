import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { cloidOf } from '../../src/kernel/exchange-names.ts';
import { changeDirectly, openOids, readWallets } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

type Trader = Awaited<ReturnType<TestService['wallet']>>;
type Order = { order_id: string; status: string; size: string; filled_size: string; fills: { size: string }[] };
type Event = {
  type: string;
  data: { order_uuid: string; lifecycle: string; executed: Record<string, string>; fills: unknown[] };
};

const ORDERS = '/v1/orders/exvenue';
const LIMIT = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 50_000 };
/** The sandbox fills half of an order of this size at once. */
const HALF = '0.0505';

/** A change at the exchange gives an order another number. Its executions under each of them are its own. */
describe('the executions of an order that its trader changes at the exchange', () => {
  let service: TestService;
  let trader: Trader;
  before(async () => {
    service = await startService({ settings: { EXVENUE_READ_LAG_MS: '100' } });
  });
  after(() => service.stop());
  beforeEach(async () => {
    service.exchange.setMid('BTC', '100000');
    trader = await service.wallet();
  });

  const place = async (more = {}): Promise<string> => (await trader.post(ORDERS, { ...LIMIT, ...more })).body.order_id;
  const change = (id: string, terms: { size: string; price: string }) =>
    changeDirectly(service, trader, { ...terms, cloid: cloidOf(id as never) }); // as: an order's id is its intent's
  const get = async (id: string): Promise<Order> => (await trader.get(`${ORDERS}/${id}`)).body;
  const lifecycleOf = (id: string) =>
    service.db.oneFirst(sql.type(z.object({ lifecycle: z.string() }))`select lifecycle from orders where id = ${id}`);

  /** Reads the wallet until no read is behind what has just ended. */
  async function read(): Promise<void> {
    await readWallets(service);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await readWallets(service);
  }

  async function toldOf(id: string) {
    const events = (await trader.get('/v1/events')).body as Event[];
    return events
      .filter(({ type, data }) => type === 'order.updated' && data.order_uuid === id)
      .slice(1)
      .map(({ data: { lifecycle, executed, fills } }) => [
        lifecycle,
        executed.size,
        executed.filled_size,
        fills.length,
      ]);
  }

  async function statedOf(kind: 'fill' | 'fee', id?: string): Promise<string[]> {
    const { body } = await trader.get(`/v1/statements?kind=${kind}`);
    const lines = body as { trader_id: string; reference: string; quantity: string }[];
    return lines
      .filter(({ trader_id, reference }) => trader_id === trader.wallet && (id === undefined || reference === id))
      .map(({ quantity }) => quantity);
  }

  it('fill it', async () => {
    const id = await place();
    await change(id, { size: '0.01', price: '49000' });
    await change(id, { size: '0.01', price: '48000' });
    await read();
    service.exchange.setMid('BTC', '47000');
    await read();

    const order = await get(id);

    expect(order).to.include({ status: 'filled', size: '0.01', filled_size: '0.01' });
    expect(order.fills.map(({ size }) => size)).to.deep.equal(['0.01']);
    expect(await lifecycleOf(id)).to.equal('filled');
    expect(await toldOf(id)).to.deep.equal([['filled', '0.01', '0.01', 1]]);
    expect(await statedOf('fill', id)).to.deep.equal(['0.01']);
    expect(await statedOf('fee')).to.have.length(1);
  });

  it('are added up over its numbers, and it rests for as long as a part of it does', async () => {
    const id = await place({ size: HALF, price: 100_000 });
    await read();
    await change(id, { size: '0.04', price: '49000' });
    await read();
    const resting = await get(id);
    await change(id, { size: HALF, price: '100000' });
    await read();
    const half = [await lifecycleOf(id), await get(id)] as const;
    service.exchange.setMid('BTC', '99000');
    await read();

    expect(resting).to.include({ status: 'partial', filled_size: '0.02525' });
    expect(half[0]).to.equal('resting');
    expect(half[1]).to.include({ status: 'partial', filled_size: '0.0505' });
    const order = await get(id);
    expect(order).to.include({ status: 'filled', size: '0.07575', filled_size: '0.07575' });
    expect(order.fills).to.have.length(3);
    expect((await toldOf(id)).at(-1)).to.deep.equal(['filled', '0.07575', '0.07575', 3]);
    expect(await statedOf('fill', id)).to.have.length(3);
    expect(await statedOf('fee')).to.have.length(3);
  });

  it('end it when it was made smaller', async () => {
    const id = await place();
    await change(id, { size: '0.004', price: '49000' });
    service.exchange.setMid('BTC', '48000');
    await read();

    expect(await lifecycleOf(id)).to.equal('filled');
    expect(await get(id)).to.include({ status: 'filled', size: '0.004', filled_size: '0.004' });
  });

  it('are kept when it is cancelled by its id', async () => {
    const id = await place({ size: HALF, price: 100_000 });
    await change(id, { size: '0.04', price: '49000' });

    const { body } = await trader.delete(`${ORDERS}/${id}`);
    await read();

    expect(body).to.include({ status: 'ok', cancelled_count: 1 });
    expect(await openOids(service, trader)).to.deep.equal([]);
    const order = await get(id);
    expect(order).to.include({ status: 'cancelled', filled_size: '0.02525' });
    expect(order.fills).to.have.length(1);
  });

  it('open a position without its exits, which end with the change: it says so', async () => {
    const id = await place({ stop_loss: 40_000 });
    await change(id, { size: '0.01', price: '49000' });
    await read();
    service.exchange.setMid('BTC', '48000');
    await read();

    const order = await get(id);

    expect(order).to.include({ status: 'filled', trigger_status: 'failed' });
    expect(order)
      .to.have.property('trigger_error')
      .that.matches(/cancel/); // the audit of exits says so in other words
    const events = async () => ((await trader.get('/v1/events')).body as Event[]).map(({ type }) => type);
    await until('it is told', async () => (await events()).includes('position.unprotected') || null, 10_000);
  });

  it('are not those of other orders', async () => {
    const id = await place();
    const other = await place();
    await change(id, { size: '0.01', price: '49000' });
    await changeDirectly(service, trader, { size: '0.02', price: '99999', cloid: `0x${'ab'.repeat(16)}`, isNew: true });
    service.exchange.setMid('BTC', '49500');
    await read();

    expect([await lifecycleOf(id), await lifecycleOf(other)]).to.deep.equal(['resting', 'filled']);
    expect(await statedOf('fee')).to.have.length(1);
  });
});
