import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { restDirectly } from '../support/exchange.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const MARKET = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
const LIMIT = { ...MARKET, order_type: 'limit', price: 99_000 };
const EXITS = { take_profit: 120_000, stop_loss: 80_000 };

describe('getExvenueOrder', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => service.exchange.setMid('BTC', '100000'));

  type OrderBody = {
    status: string;
    filled_size: string;
    fills: { price: string; size: string }[];
    exits: { exit: string; status: string }[];
  };
  const stateOf = ({ status, filled_size, fills, exits }: OrderBody) => [
    status,
    filled_size,
    fills.map(({ price, size }) => `${size} at ${price}`),
    exits.map(({ exit, status }) => `${exit} ${status}`),
  ];

  it('shows the life of an order, by either of its ids, to its end and that of its exits', async () => {
    const trader = await service.wallet();
    const { body: order } = await trader.post(ORDERS, { ...LIMIT, size: '0.0505', price: 100_100, ...EXITS });
    const read = async () => (await trader.get(`${ORDERS}/${order.order_id}`)).body;
    const half = await read();
    service.exchange.setMid('BTC', '99000');
    await new Promise((done) => setTimeout(done, 1_100)); // reads are cached for a second
    const whole = await read();
    service.exchange.setMid('BTC', '79000');
    await new Promise((done) => setTimeout(done, 1_100));
    const stopped = await read();
    const byNumber = (await trader.get(`${ORDERS}/${order.ex_order_id}`)).body;

    expect(stateOf(half)).to.deep.equal([
      'partial',
      '0.02525',
      ['0.02525 at 100000'],
      ['take_profit waiting', 'stop_loss waiting'],
    ]);
    expect(stateOf(whole)).to.deep.equal([
      'filled',
      '0.0505',
      ['0.02525 at 100000', '0.02525 at 99000'],
      ['take_profit open', 'stop_loss open'],
    ]);
    expect(whole.fill_price).to.equal('99500');
    expect(stateOf(stopped)[3]).to.deep.equal(['take_profit cancelled', 'stop_loss filled']);
    expect({ ...byNumber, as_of: null }).to.deep.equal({ ...stopped, as_of: null });
  });

  it('is where the placement and the closing of a position are polled', async () => {
    const trader = await service.wallet();
    for (const [path, body] of [
      [ORDERS, MARKET],
      [`${ORDERS}/close`, { pair: 'BTC' }],
    ] as const) {
      const reply = await trader.post(path, body, { prefer: 'wait=0' });
      let shown = (await trader.get(String(reply.headers.location))).body;
      while (shown.status === 'pending') shown = (await trader.get(String(reply.headers.location))).body;

      expect(reply.headers.location).to.equal(`${ORDERS}/${reply.body.order_id}`);
      expect(shown).to.include({ status: 'filled', filled_size: '0.01', fill_price: '100000', message: null });
      expect(shown.fills).to.have.length(1);
    }
  });

  it('says why an order was rejected', async () => {
    const trader = await service.wallet();
    const client_order_id = randomUUID();
    const reply = await trader.post(ORDERS, { ...MARKET, size: '0.00001', client_order_id, ...EXITS });

    const { body } = await trader.get(`${ORDERS}/${client_order_id}`);

    expect(reply.status).to.equal(422);
    expect(body).to.include({ status: 'rejected', filled_size: '0', trigger_status: 'failed' });
    expect(body.message).to.equal(reply.body.error.message);
    expect(body.exits).to.deep.equal([]);
  });

  it('shows what is recorded while the exchange shows less', async () => {
    const trader = await service.wallet();
    service.exchange.setBehind(60_000);
    await trader.get(ORDERS); // reads show this moment
    const { body: order } = await trader.post(ORDERS, { ...LIMIT, price: 50_000 });
    await trader.delete(`${ORDERS}/${order.order_id}`);
    const { body: resting } = await trader.post(ORDERS, { ...LIMIT, price: 50_000 });

    const cancelled = (await trader.get(`${ORDERS}/${order.order_id}`)).body;
    const open = (await trader.get(`${ORDERS}/${resting.order_id}`)).body;
    service.exchange.setBehind(0);

    expect(cancelled.status).to.equal('cancelled');
    expect(open).to.include({ status: 'open', filled_size: '0' });
  });

  it('shows an order of other software by the number, and a stranger nothing', async () => {
    const [trader, other] = [await service.wallet(), await service.wallet()];
    const [oid] = await restDirectly(service, trader, [{}]);
    const { body: ours } = await trader.post(ORDERS, { ...LIMIT, price: 50_000 });

    const { body: elsewhere } = await trader.get(`${ORDERS}/${oid}`);

    expect(elsewhere).to.include({ ex_order_id: String(oid), order_id: null, status: 'open', limit_price: '50000' });
    expectProblem(
      await (await service.partner()).get(`${ORDERS}/${oid}`, { headers: { 'Trader-ID': trader.wallet } }),
      'V1_ORDER_UNKNOWN',
    );
    for (const name of [ours.order_id, ours.ex_order_id, randomUUID(), '999'])
      expectProblem(await other.get(`${ORDERS}/${name}`), 'V1_ORDER_UNKNOWN');
  });
});
