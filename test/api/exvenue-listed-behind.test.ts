import { expect } from 'chai';
import { openOids, readWallets } from '../support/exchange.ts';
import { jsonReply, startProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

type Trader = Awaited<ReturnType<TestService['wallet']>>;
type Listed = { ex_order_id: string; status: string; filled_size: string; fill_price: string | null };

const ORDERS = '/v1/orders/exvenue';
const LIMIT = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 50_000 };

/** Reads of the exchange may be tens of seconds behind. */
describe('the list of open orders, while the reads of the exchange are behind', () => {
  let service: TestService;
  let closeProxy: () => Promise<void>;
  /** Lists of open orders are as they were; other reads are not behind. */
  let frozen: string | null = null;
  before(async () => {
    const proxy = await startProxy(async ({ type, dex }, forward) => {
      if (frozen === null || type !== 'frontendOpenOrders') return forward();
      return jsonReply(dex === undefined ? JSON.parse(frozen) : []);
    });
    service = await startService({ settings: { EXVENUE_URL: proxy.url } });
    proxy.target = service.exchange.url;
    closeProxy = proxy.close;
  });
  after(async () => {
    await service.stop();
    await closeProxy();
  });
  beforeEach(() => service.exchange.setMid('BTC', '100000'));
  afterEach(() => {
    frozen = null;
    service.exchange.setBehind(0);
  });

  const listed = async (trader: Trader): Promise<Listed[]> => (await trader.get(ORDERS)).body;
  const numbers = async (trader: Trader) => (await listed(trader)).map(({ ex_order_id }) => ex_order_id);
  const place = async (trader: Trader, more: object = {}) => (await trader.post(ORDERS, { ...LIMIT, ...more })).body;
  const behind = async (trader: Trader) => {
    service.exchange.setBehind(60_000);
    await openOids(service, trader); // reads show this moment; one through the service may be from its cache
  };

  it('lacks an order that is cancelled, with its exits, and has one that rests', async () => {
    const trader = await service.wallet();
    const old = await place(trader, { stop_loss: 40_000 });
    await behind(trader);
    const next = await place(trader, { price: 51_000 });
    expect((await trader.delete(`${ORDERS}/${old.order_id}`)).body).to.include({ cancelled_count: 1 });

    const orders = await listed(trader);
    const one = (await trader.get(`${ORDERS}/${next.order_id}`)).body;

    expect(orders.map(({ ex_order_id, status }) => [ex_order_id, status])).to.deep.equal([[next.ex_order_id, 'open']]);
    expect(orders[0]).to.include({ order_id: one.order_id, size: one.size, limit_price: one.limit_price });
  });

  it('is not of another partner, and lacks what has been filled or cancelled since', async () => {
    const [trader, other] = [await service.wallet(), await service.partner()];
    const [filled, cancelled] = [await place(trader, { price: 99_500 }), await place(trader)];
    service.exchange.setMid('BTC', '99000');
    await trader.delete(`${ORDERS}/${cancelled.ex_order_id}`);
    await new Promise((done) => setTimeout(done, 1_100)); // reads are cached for a second

    expect(await numbers(trader)).to.deep.equal([]);
    await readWallets(service);
    await behind(trader);
    const resting = await place(trader);
    expect(await numbers(trader)).to.deep.equal([resting.ex_order_id]);
    expect((await trader.get(`${ORDERS}/${filled.order_id}`)).body.status).to.equal('filled');
    expect((await other.get(ORDERS, { headers: { 'Trader-ID': trader.wallet } })).body).to.deep.equal([]);
  });

  it('has pages that show each order once, although an added order is listed between two of them', async () => {
    const trader = await service.wallet();
    service.exchange.fund(trader.wallet, '1000', 'xyz');
    const older = [await place(trader), await place(trader, { price: 51_000 })];
    await behind(trader);
    const added = await place(trader, { pair: 'xyz:TSLA', size: '1', price: 200 });

    const shown: string[] = [];
    for (let next = `${ORDERS}?limit=1`; next; ) {
      const page = await trader.get(next);
      expect(page.status, JSON.stringify(page.body)).to.equal(200);
      shown.push(...page.body.map((order: Listed) => order.ex_order_id));
      service.exchange.setBehind(0);
      await new Promise((done) => setTimeout(done, 1_100)); // reads are cached for a second
      next = /<([^>]+)>/.exec(String(page.headers.link))?.[1] ?? '';
    }

    expect(shown).to.deep.equal([added, ...older.reverse()].map(({ ex_order_id }) => ex_order_id));
  });

  it('has every order of a burst', async () => {
    const trader = await service.wallet();
    await behind(trader);
    const placed = await Promise.all(Array.from({ length: 55 }, () => place(trader, { size: '0.001' })));

    expect(await numbers(trader)).to.have.members(placed.map(({ ex_order_id }) => ex_order_id));
  }).timeout(30_000);

  it('has what is recorded as filled of an order', async () => {
    const trader = await service.wallet();
    const order = await place(trader, { size: '0.0505', price: 100_100 }); // half of it is filled at once
    const question = { type: 'frontendOpenOrders', user: trader.wallet };
    const reply = await fetch(`${service.exchange.url}/info`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(question),
    });
    const orders = (await reply.json()) as { origSz: string }[];
    frozen = JSON.stringify(orders.map((shown) => ({ ...shown, sz: shown.origSz }))); // as before its execution
    await readWallets(service);
    await new Promise((done) => setTimeout(done, 1_100)); // reads are cached for a second

    const one = (await trader.get(`${ORDERS}/${order.order_id}`)).body;
    const [shown] = await listed(trader);

    expect(one).to.include({ status: 'partial', filled_size: '0.02525' });
    expect(shown).to.include({ status: 'partial', filled_size: one.filled_size, fill_price: one.fill_price });
  });
});
