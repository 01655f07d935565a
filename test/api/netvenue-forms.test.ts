import { expect } from 'chai';
import { limit, market, positionsOf } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

describe('network orders with members that the network would ignore', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  for (const [what, order] of [
    ['a stop-loss beside bracket orders', market({ stop_loss: 90_000, bracket_orders: [{ take_profit: 120_000 }] })],
    [
      'a trailing stop beside bracket orders',
      market({ trailing_stop: { trailing_value: 100 }, bracket_orders: [{ take_profit: 120_000 }] }),
    ],
    ['a limit price of a market order', market({ limit_price: 90_000 })],
    ['a stop-loss of an order that closes', { trade_pair: 'BTCUSDC', order_type: 'FLAT', stop_loss: 90_000 }],
    [
      'bracket orders of an order that closes',
      { trade_pair: 'BTCUSDC', order_type: 'FLAT', bracket_orders: [{ trailing_value: 100 }] },
    ],
  ] as const) {
    it(`are rejected: ${what}`, async () => {
      const trader = await service.trader();

      expectProblem(await trader.post(ORDERS, order), 'INVALID_REQUEST');
      expect(await positionsOf(service, trader)).to.deep.equal([]);
    });
  }

  for (const [what, order] of [
    [
      'equal exits',
      market({ order_type: 'FLAT', execution_type: 'BRACKET', stop_loss: 5, take_profit: 5, leverage: undefined }),
    ],
    ['exits on the wrong sides of each other', market({ stop_loss: 120_000, take_profit: 90_000 })],
    ['an entry on the wrong side of the limit price', limit({ bracket_orders: [{ stop_loss: 95_000 }] })],
  ] as const) {
    it(`are rejected before they are sent: ${what}`, async () => {
      const trader = await service.trader();

      expectProblem(await trader.post(ORDERS, order), 'V1_PRICES_INVALID', { effect: 'none' });
    });
  }

  it('are rejected for protection with equal exits', async () => {
    const trader = await service.trader();

    const reply = await trader.post(`${ORDERS}/tp-sl`, { trade_pair: 'BTCUSDC', stop_loss: 5, take_profit: 5 });

    expectProblem(reply, 'V1_PRICES_INVALID', { effect: 'none' });
  });

  it('shows in the next read what was just executed, and what was just closed', async () => {
    const trader = await service.trader();
    const before = await trader.get('/v1/positions/netvenue');

    await trader.post(ORDERS, market());
    const opened = await trader.get('/v1/positions/netvenue');
    await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });
    const closed = await trader.get('/v1/positions/netvenue');

    expect([before, opened, closed].map(({ body }) => body.length)).to.deep.equal([0, 1, 0]);
  });

  it('takes an order_uuid in upper case for the same order', async () => {
    const trader = await service.trader();
    const order_uuid: string = crypto.randomUUID();
    const order = market({ order_uuid });
    const first = await trader.post(ORDERS, order);

    const again = await trader.post(ORDERS, { ...order, order_uuid: order_uuid.toUpperCase() });

    expect(again.status).to.equal(200);
    expect(again.body.order_uuid).to.equal(first.body.order_uuid);
    expect(await positionsOf(service, trader)).to.have.length(1);
  });

  it('finds an order by its uuid in upper case', async () => {
    const trader = await service.trader();
    const { body } = await trader.post(ORDERS, limit());
    const path = `${ORDERS}/${String(body.order_uuid).toUpperCase()}`;

    const edited = await trader.post(`${path}/edit`, { trade_pair: 'BTCUSDC', limit_price: 91_000 });
    const status = await trader.get(path);
    const cancelled = await trader.delete(`${path}?trade_pair=BTCUSDC`);

    expect([edited.status, status.status, cancelled.status]).to.deep.equal([200, 200, 200]);
    for (const reply of [edited, status, cancelled]) expect(reply.body.order_uuid).to.equal(body.order_uuid);
    expect(status.body).to.include({ limit_price: 91_000 });
  });
});
