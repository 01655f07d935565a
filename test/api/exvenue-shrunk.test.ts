import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Action } from '../../src/venues/exchange/adapter/action-types.ts';
import { exchangeOf, readWallets } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const HOUR_MS = 3_600_000;
const MARKET = { pair: 'BTC', side: 'long', size: '0.2', order_type: 'market' };
const EXIT = { pair: 'BTC', side: 'short', size: '0.2', order_type: 'limit', price: 101_000, reduce_only: true };
const READS_LAG_MS = 100;

type Wallet = Awaited<ReturnType<TestService['wallet']>>;
type Filled = { status: string; filled_size: string | null };
type Order = Filled & { order_id: string; exits: Filled[] };

/** The exchange shrinks a reduce-only order with its position and keeps the size that was asked for: see venues/exchange.md#reduce-only. */
describe('a reduce-only order larger than the position', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { EXVENUE_READ_LAG_MS: String(READS_LAG_MS) } });
  });
  after(() => service.stop());
  beforeEach(() => service.exchange.setMid('BTC', '100000'));

  let nonces = Date.now() - 2 * HOUR_MS;
  /** The owner's own software sells at the market. */
  async function sells({ privateKey }: Wallet, size: string): Promise<void> {
    const venue = exchangeOf(service);
    const action: Action = {
      kind: 'place',
      orders: [{ asset: 1, side: 'sell', size, price: '90000', reduceOnly: false, timeInForce: 'ioc' }],
      grouping: 'none',
    };
    const body = await venue.signerOf(privateKey)?.sign(action, { nonce: ++nonces });
    expect((await venue.post(String(body), { firstSend: true })).kind).to.equal('accepted');
  }

  /** A wallet with a position of 0.05, and an exit for 0.2 that was as large as the position. */
  async function shrunk(): Promise<{ trader: Wallet; order: Order }> {
    const trader = await service.wallet();
    await trader.post(ORDERS, MARKET);
    const { body: order } = await trader.post(ORDERS, EXIT);
    await readWallets(service);
    await sells(trader, '0.15');
    await readWallets(service);
    return { trader, order };
  }

  const lifecycleOf = (orderId: string) =>
    service.db.oneFirst(sql.type(z.object({ lifecycle: z.string() }))`
      select lifecycle from orders where id = ${orderId}`);

  /** The order once reads can be behind no longer. */
  async function readLater({ get }: Wallet, { order_id }: Order): Promise<Order> {
    await new Promise((done) => setTimeout(done, 2 * READS_LAG_MS));
    await readWallets(service);
    return (await get(`${ORDERS}/${order_id}`)).body;
  }

  it('has executed nothing while it only shrinks', async () => {
    const { trader, order } = await shrunk();

    const [listed] = (await trader.get(ORDERS)).body;
    const { body: shown } = await trader.get(`${ORDERS}/${order.order_id}`);

    for (const one of [listed, shown]) expect(one).to.include({ status: 'open', filled_size: '0' });
  });

  it('is filled once the rest of the position is', async () => {
    const { trader, order } = await shrunk();
    service.exchange.setMid('BTC', '101100');

    const shown = await readLater(trader, order);

    expect(await lifecycleOf(order.order_id)).to.equal('filled');
    const { body: history } = await trader.get('/v1/history/orders');

    for (const one of [shown, history.find(({ order_id }: Order) => order_id === order.order_id)])
      expect(one).to.include({ status: 'filled', filled_size: '0.05', fill_price: '101100' });
  });

  it('ends with its position, without an execution', async () => {
    const { trader, order } = await shrunk();
    await sells(trader, '0.05');

    const shown = await readLater(trader, order);

    expect(await lifecycleOf(order.order_id)).to.equal('cancelled');
    expect(shown).to.include({ status: 'cancelled', filled_size: '0' });
  });

  it('has executed the position alone when its response was lost', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, { ...MARKET, size: '0.05' });
    service.exchange.faults.add({ kind: 'accept_then_drop', route: '/exchange', times: 1 });

    const reply = await trader.post(ORDERS, { ...MARKET, side: 'short', reduce_only: true });
    const intent = `/v1/intents/${reply.headers['intent-id']}`;
    await until('the order is found', async () => (await trader.get(intent)).body.state === 'succeeded');
    const { body: shown } = await trader.get(`${ORDERS}/${reply.headers['intent-id']}`);

    expect(shown).to.include({ filled_size: '0.05', fill_price: '100000' });
  });

  it('as an exit that ends with its position has executed nothing, once the executions were read late enough', async () => {
    const trader = await service.wallet();
    const { body: order } = await trader.post(ORDERS, { ...MARKET, stop_loss: 90_000 });
    for (const size of ['0.15', '0.05']) await sells(trader, size);
    const exitNow = async () => (await readLater(trader, order)).exits[0];

    const soon = await exitNow();
    await service.db.query(sql.type(z.object({}))`
      update exchange_cursors set fills_read_at = now() + interval '2 minutes' where ex_wallet = ${trader.wallet}`);
    const later = await exitNow();

    expect(soon).to.include({ status: 'cancelled', filled_size: null });
    expect(later).to.include({ status: 'cancelled', filled_size: '0' });
  });
});
