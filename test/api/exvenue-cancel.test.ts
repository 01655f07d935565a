import { expect } from 'chai';
import { effectsOn, exchangeOf, openOids, restDirectly, whenActing } from '../support/exchange.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';

describe('cancelExvenueOrder', () => {
  let service: TestService;
  let restore = () => {};
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => service.exchange.setMid('BTC', '100000'));
  afterEach(() => restore());

  const limit = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 90_000 };

  it('is not_found for a number unknown to the exchange, and for one of another wallet', async () => {
    const trader = await service.wallet();
    const other = await service.wallet();
    const [foreignOid] = await restDirectly(service, other, [{}]);

    const unknown = await trader.delete(`${ORDERS}/424242`);
    const foreign = await trader.delete(`${ORDERS}/${foreignOid}`);

    expect(unknown.body).to.include({ status: 'not_found', cancelled_count: 0 });
    expect(foreign.body).to.include({ status: 'not_found', cancelled_count: 0 });
    expect(await openOids(service, other)).to.deep.equal([foreignOid]);
  });

  it('is rejected without an enrollment', async () => {
    const trader = await service.wallet();

    const reply = await trader.delete(`${ORDERS}/424242`, { headers: { 'Trader-ID': `0x${'1'.repeat(40)}` } });

    expectProblem(reply, 'V1_NOT_ENROLLED');
  });

  it('cancels an exit that still waits for its order to fill, and keeps the order', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, { ...limit, take_profit: 120_000 });
    const open = await exchangeOf(service).openOrders(trader.wallet);
    const parent = open.kind === 'found' ? open.data.find(({ exit }) => exit === null) : undefined;

    const { body } = await trader.delete(`${ORDERS}/${parent?.children[0]?.oid}`);

    expect(body).to.include({ status: 'ok', cancelled_count: 1 });
    expect(await openOids(service, trader)).to.deep.equal([parent?.oid]);
  });

  it('cancels an order on a builder dex', async () => {
    const trader = await service.wallet();
    service.exchange.fund(trader.wallet, '1000', 'xyz');
    const placed = await trader.post(ORDERS, { ...limit, pair: 'xyz:TSLA', size: '1', price: 200 });

    const { body } = await trader.delete(`${ORDERS}/${placed.body.ex_order_id}`);

    expect(body).to.include({ status: 'ok', cancelled_count: 1 });
    expect(await openOids(service, trader, 'xyz')).to.be.empty;
  });

  it('ends an order whose own response is still missing: it was placed, and it is cancelled', async () => {
    const trader = await service.wallet();
    restore = whenActing(service, (before) => (before === 0 ? 'accept_then_drop' : undefined));

    const placeReply = await trader.post(ORDERS, limit, { prefer: 'wait=0' });
    const cancelled = await trader.delete(ORDERS);
    const order = await trader.pollIntent(placeReply);

    expect(cancelled.body).to.include({ status: 'ok', cancelled_count: 1 });
    expect(order, JSON.stringify(order.problem)).to.include({ state: 'succeeded', effect: 'done' });
    expect(order.result).to.include({ status: 'cancelled', filled_size: '0' });
  });

  it('is sent again, without a waiting caller, when it was about old exits and never reached the exchange', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' });
    const first = await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 80_000 });
    restore = whenActing(service, (before) => (before === 1 ? 'reset' : undefined));

    const second = await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 85_000 });
    const gone = await cancelledOf(trader, 18_000);

    expect(second.body.sl_order_id).to.not.equal(first.body.sl_order_id);
    expect(gone).to.deep.equal([Number(first.body.sl_order_id)]);
    expect(await openOids(service, trader)).to.deep.equal([Number(second.body.sl_order_id)]);
  }).timeout(30_000);

  /** Numbers of a wallet's orders that ended unfilled, once there is one. */
  async function cancelledOf(trader: { wallet: string; privateKey: string }, withinMs: number): Promise<unknown[]> {
    const until = Date.now() + withinMs;
    for (;;) {
      const oids = effectsOn(service, trader, 'cancelled').map(({ detail }) => detail.oid);
      if (oids.length > 0 || Date.now() > until) return oids;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
});
