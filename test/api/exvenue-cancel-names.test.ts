import { expect } from 'chai';
import { effectsOn, openOids } from '../support/exchange.ts';
import { expectProblem } from '../support/problem.ts';
import { jsonReply, NOTHING_DONE, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const LIMIT = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'limit', price: 90_000 };

describe('an order to cancel', () => {
  const reads = { areBehind: false };
  let proxy: VenueProxy;
  let service: TestService;
  before(async () => {
    proxy = await startProxy(async ({ type = '' }, forward) => {
      if (reads.areBehind && type in NOTHING_DONE) return jsonReply(NOTHING_DONE[type]);
      const reply = await forward();
      if (type !== 'orderStatus' || !reply) return reply;
      const record = JSON.parse(reply.text);
      if (record.order) record.order.order.children = []; // as the venue records an order
      return jsonReply(record);
    });
    service = await startService({
      settings: { EXVENUE_URL: proxy.url, EXVENUE_EXPIRES_MS: '1000', EXVENUE_CLOCK_MARGIN_MS: '100' },
    });
    proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });
  afterEach(() => {
    reads.areBehind = false;
    service.exchange.faults.clear();
    service.exchange.setMid('BTC', '100000');
  });

  it("is named by this service's id or by the exchange's, and the result has both", async () => {
    const trader = await service.wallet();
    const [one, other] = [await trader.post(ORDERS, LIMIT), await trader.post(ORDERS, LIMIT)];

    const byId = await trader.delete(`${ORDERS}/${one.body.order_id.toUpperCase()}`);
    const byNumber = await trader.delete(`${ORDERS}/${other.body.ex_order_id}`);
    const again = await trader.delete(`${ORDERS}/${one.body.order_id}`);

    for (const [{ body }, { order_id, ex_order_id }] of [
      [byId, one.body],
      [byNumber, other.body],
    ] as const) {
      expect(body, JSON.stringify(body)).to.include({ status: 'ok', cancelled_count: 1 });
      expect(body.results).to.have.length(1);
      expect(body.results[0]).to.include({ order_id, ex_order_id, pair: 'BTC-USDC', status: 'cancelled' });
    }
    expect(again.body).to.include({ status: 'already_closed' });
    expect(await openOids(service, trader)).to.deep.equal([]);
  });

  it('is unknown by the id of another owner, of another wallet, and of nothing', async () => {
    const [trader, other] = [await service.wallet(), await service.wallet()];
    const { body: order } = await trader.post(ORDERS, LIMIT);

    const foreign = await other.delete(`${ORDERS}/${order.order_id}`);
    const unknown = await trader.delete(`${ORDERS}/${crypto.randomUUID()}`);
    const malformed = await trader.delete(`${ORDERS}/${order.order_id}0`);

    for (const { body } of [foreign, unknown]) expect(body).to.include({ status: 'not_found', cancelled_count: 0 });
    expectProblem(malformed, 'INVALID_REQUEST');
    expect(await openOids(service, trader)).to.deep.equal([Number(order.ex_order_id)]);
  });

  it('may be one whose placement is in doubt: the cancellation follows it', async () => {
    const trader = await service.wallet();
    service.exchange.faults.add({ kind: 'accept_then_drop', route: 'POST /exchange', times: 1 });
    reads.areBehind = true;
    const client_order_id = crypto.randomUUID();
    const placed = await trader.post(ORDERS, { ...LIMIT, client_order_id }, { prefer: 'wait=0' });

    const cancelling = trader.delete(`${ORDERS}/${client_order_id}`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    reads.areBehind = false;
    const { body } = await cancelling;

    expect(placed.status).to.equal(202);
    expect(body, JSON.stringify(body)).to.include({ status: 'ok', cancelled_count: 1 });
    expect(body.results[0]).to.include({ order_id: client_order_id, status: 'cancelled' });
    expect(effectsOn(service, trader, 'placed')).to.have.length(1);
    expect(await openOids(service, trader)).to.deep.equal([]);
  });

  it('is already closed, never unknown, if we know that it was filled and reads do not show it yet', async () => {
    const trader = await service.wallet();
    const { body: filled } = await trader.post(ORDERS, { ...LIMIT, price: 101_000 });
    reads.areBehind = true;

    const replies = [
      await trader.delete(`${ORDERS}/${filled.ex_order_id}`),
      await trader.delete(`${ORDERS}/${filled.order_id}`),
    ];

    expect(filled.status).to.equal('filled');
    for (const { body } of replies) {
      expect(body, JSON.stringify(body)).to.include({ status: 'already_closed' });
      expect(body.results[0]).to.include({ order_id: filled.order_id, ex_order_id: filled.ex_order_id });
    }
  });

  it('names the exits that end with it, and says so if a part of it was filled', async () => {
    const trader = await service.wallet();
    const exits = { take_profit: 120_000, stop_loss: 80_000 };
    const { body: whole } = await trader.post(ORDERS, { ...LIMIT, ...exits });
    const { body: half } = await trader.post(ORDERS, { ...LIMIT, ...exits, size: '0.0505', price: 100_100 });

    const [untouched, partly] = [
      await trader.delete(`${ORDERS}/${whole.order_id}`),
      await trader.delete(`${ORDERS}/${half.order_id}`),
    ];

    expect(half.status, JSON.stringify(half)).to.equal('open');
    for (const [{ body }, message] of [
      [untouched, /exits with it\. If a part of it was filled, they do not protect that\.$/],
      [partly, /do not protect the part that was filled/],
    ] as const) {
      expect(body, JSON.stringify(body)).to.include({ status: 'ok', cancelled_count: 1 });
      expect(body.results[0].exits_cancelled).to.have.length(2);
      expect(body.results[0].message).to.match(message);
    }
    const ended = effectsOn(service, trader, 'cancelled').map(({ detail }) => String(detail.oid));
    expect(ended).to.include.members([...untouched.body.results[0].exits_cancelled]);
    expect(ended).to.include.members([...partly.body.results[0].exits_cancelled]);
  });
});
