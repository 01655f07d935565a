import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { openOids, restDirectly, whenActing } from '../support/exchange.ts';
import { until } from '../support/processes.ts';
import { jsonReply, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const BATCH = 200;
type Line = { ex_order_id: string; status: string };

describe('a cancellation of which not everything is known', function () {
  this.timeout(90_000);
  let proxy: VenueProxy;
  let service: TestService;
  let restore = () => {};
  before(async () => {
    proxy = await startProxy();
    service = await startService({ settings: { EXVENUE_URL: proxy.url, EXVENUE_EXPIRES_MS: '5000' } });
    proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });
  afterEach(() => {
    restore();
    proxy.handle = (_, forward) => forward();
    service.exchange.setMid('BTC', '100000');
  });

  const many = (count: number) => Array.from({ length: count }, () => ({ price: '50000' }));
  const ended = async (trader: Awaited<ReturnType<TestService['wallet']>>, path = ORDERS) =>
    trader.pollIntent(await trader.delete(path, { prefer: 'wait=0' }), 40_000);

  it('says what was cancelled and what is still open, if only its first batch ever arrived', async () => {
    const trader = await service.wallet();
    const [oldest] = await restDirectly(service, trader, many(1));
    await restDirectly(service, trader, many(BATCH));
    proxy.handle = async ({ action }, forward) => (action?.cancels?.length === 1 ? null : forward());

    const { state, result, problem } = await ended(trader);

    expect(state, JSON.stringify(problem)).to.equal('succeeded');
    expect(result).to.include({ status: 'partial', cancelled_count: BATCH, failed_count: 1 });
    expect(await openOids(service, trader)).to.deep.equal([oldest]);
  });

  it('ends with all orders cancelled, although the exchange rejects its second batch at first', async () => {
    const trader = await service.wallet();
    await restDirectly(service, trader, many(1));
    await restDirectly(service, trader, many(BATCH));
    let isRejected = false;
    proxy.handle = async ({ action }, forward) => {
      if (isRejected || action?.cancels?.length !== 1) return forward();
      isRejected = true;
      return jsonReply({ status: 'err', response: 'Invalid nonce: 1700000000000 is too old' });
    };

    const { state, result, problem } = await ended(trader);

    expect(state, JSON.stringify(problem)).to.equal('succeeded');
    expect(result).to.include({ status: 'ok', total_open_orders: BATCH + 1, cancelled_count: BATCH + 1 });
    expect([isRejected, await openOids(service, trader)]).to.deep.equal([true, []]);
  });

  it('says of each order of a batch that arrives only when it is repeated what became of it', async () => {
    const trader = await service.wallet();
    const [low, high, lowest] = await restDirectly(service, trader, [
      { price: '50000' },
      { price: '90000' },
      { price: '40000' },
    ]);
    await restDirectly(service, trader, many(BATCH));
    restore = whenActing(service, (before) => {
      if (before === 2) service.exchange.setMid('BTC', '85000'); // fills the one above, once it has been looked for
      return before === 1 ? 'reset' : undefined;
    });

    const { result } = await ended(trader);

    expect(result).to.include({ status: 'ok', cancelled_count: BATCH + 2, failed_count: 0 });
    const statusOf = (oid = 0) => result.results.find((line: Line) => line.ex_order_id === String(oid))?.status;
    expect([low, high, lowest].map(statusOf)).to.deep.equal(['cancelled', 'already_closed', 'cancelled']);
    expect(await openOids(service, trader)).to.be.empty;
  });

  it('is made again, without a waiting caller, when it was about replaced exits and never arrived', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' });
    await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 80_000 });
    const expiredAt = Date.now() + Number(service.settings.EXVENUE_EXPIRES_MS) + 2_000;
    proxy.handle = async ({ action }, forward) =>
      action?.type === 'cancel' && Date.now() < expiredAt ? null : forward();

    const { body } = await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 85_000 });
    const rest = () => openOids(service, trader);
    await until('only the new one rests', async () => (await rest()).length === 1 || null, 40_000);

    expect(Date.now()).to.be.above(expiredAt);
    expect(await rest()).to.deep.equal([Number(body.sl_order_id)]);
  });

  for (const [what, type, path] of [
    ['an order that could not be looked up', 'orderStatus', (oid: number) => `${ORDERS}/${oid}`],
    ['all orders, while the list of them could not be read', 'frontendOpenOrders', () => ORDERS],
  ] as const)
    it(`never says that nothing is open: ${what}`, async () => {
      const trader = await service.wallet();
      const [oid = 0] = await restDirectly(service, trader, many(1));
      const unreadUntil = Date.now() + 1_500;
      proxy.handle = async (body, forward) =>
        body.type === type && Date.now() < unreadUntil ? jsonReply({}, 500) : forward();

      const { result } = await ended(trader, path(oid));

      expect(result).to.include({ status: 'ok', cancelled_count: 1 });
      expect(await openOids(service, trader)).to.be.empty;
    });

  it('says of an order on a builder dex that it is open, and nothing before the orders there can be read', async () => {
    const trader = await service.wallet();
    service.exchange.fund(trader.wallet, '1000', 'xyz');
    const order = { pair: 'xyz:TSLA', side: 'long', size: '1', order_type: 'limit', price: 200 };
    const { body } = await trader.post(ORDERS, order);
    const reads = { hasSent: false, areLost: true, unread: 0 };
    proxy.handle = async ({ action, type, dex }, forward) => {
      if (action?.type === 'cancelByCloid') {
        reads.hasSent = true;
        return null;
      }
      if (action?.type === 'noop') return jsonReply({ status: 'err', response: 'Invalid nonce: duplicate nonce 1' });
      const isLost = reads.hasSent && reads.areLost && type === 'frontendOpenOrders' && dex === 'xyz';
      if (isLost) reads.unread += 1;
      return isLost ? jsonReply({}, 500) : forward();
    };

    const reply = await trader.delete(`${ORDERS}/${body.ex_order_id}`, { prefer: 'wait=0' });
    await until('its orders were asked for', async () => reads.unread > 0 || null, 40_000);
    await sleep(500);
    const before = await trader.get(`/v1/intents/${reply.headers['intent-id']}`);
    reads.areLost = false;
    const { result } = await trader.pollIntent(reply, 40_000);

    expect(before.body).to.include({ state: 'in_doubt' });
    expect(result).to.include({ status: 'partial', cancelled_count: 0, failed_count: 1 });
  });
});
