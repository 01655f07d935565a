import { expect } from 'chai';
import { newIntentId, orderIdOf } from '../../src/kernel/ids.ts';
import { effectsOf, effectsUnder, limit, market, positionsOf, restingOf, venueOf } from '../support/orders.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

describe('submitNetvenueOrder', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  for (const [size, executed] of [
    [{ leverage: 0.2 }, { leverage: 0.2, value: 2_000, quantity: 0.02 }],
    [{ value: 500 }, { leverage: 0.05, value: 500, quantity: 0.005 }],
    [{ quantity: 0.03 }, { leverage: 0.3, value: 3_000, quantity: 0.03 }],
  ] as const) {
    it(`executes a market order sized by ${Object.keys(size)} and returns what was executed`, async () => {
      const trader = await service.trader();

      const reply = await trader.post(ORDERS, market(size));

      expect(reply.status).to.equal(200);
      expect(reply.body).to.deep.include({ success: true, status: 'accepted', message: null });
      expect(reply.body.executed).to.deep.equal({ order_type: 'LONG', price: 100_000, ...executed });
      expect(reply.headers['intent-id']).to.equal(reply.body.order_uuid);
      expect(effectsUnder(service, reply.body.order_uuid).map(({ kind }) => kind)).to.deep.equal(['market']);
    });
  }

  it('takes the quantity of a currency pair in lots of 100,000, and shows it so', async () => {
    const partner = await service.partner();
    const made = await partner.post('/v1/register/netvenue', { asset_class: 'forex', account_size: 10_000 });
    const headers = { 'Trader-ID': String(made.body.subaccount.subaccount_id) };

    const order = { trade_pair: 'EURUSD', order_type: 'LONG', quantity: 0.1 };
    const { body } = await partner.post(ORDERS, order, { headers });
    const [position] = (await partner.get('/v1/positions/netvenue', { headers })).body;

    expect(body.executed).to.include({ quantity: 0.1 });
    expect(body.executed.value).to.be.closeTo(0.1 * 100_000 * body.executed.price, 1e-6);
    expect(position).to.include({ size: '0.1' });
  });

  it('opens a short and distinguishes LONG from SHORT', async () => {
    const trader = await service.trader();

    const reply = await trader.post(ORDERS, market({ order_type: 'SHORT' }));

    expect(reply.body.executed).to.include({ order_type: 'SHORT', quantity: -0.01 });
    expect(await positionsOf(service, trader)).to.have.nested.property('[0].side', 'SHORT');
  });

  it('closes a pair by FLAT without a size', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());

    const reply = await trader.post(ORDERS, { trade_pair: 'BTCUSDC', order_type: 'FLAT' });

    expect(reply.status).to.equal(200);
    expect(reply.body.executed).to.include({ order_type: 'FLAT', quantity: -0.01 });
    expect(await positionsOf(service, trader)).to.deep.equal([]);
  });

  it('rests a limit order and shows it as resting', async () => {
    const trader = await service.trader();

    const reply = await trader.post(ORDERS, limit());
    const status = await trader.get(`${ORDERS}/${reply.body.order_uuid}`);

    expect(reply.status).to.equal(200);
    expect(await restingOf(service, trader)).to.have.nested.property('[0].uuid', reply.body.order_uuid);
    expect(status.body).to.include({ status: 'completed', lifecycle: 'resting', execution_type: 'LIMIT' });
  });

  for (const [side, stop_price, limit_price, condition] of [
    ['LONG', 110_000, 111_000, 'GTE'],
    ['SHORT', 90_000, 89_000, 'LTE'],
  ] as const) {
    it(`gives the stop of a ${side} its direction, ${condition}, where none is given`, async () => {
      const trader = await service.trader();

      const order = { execution_type: 'STOP_LIMIT', order_type: side, stop_price, limit_price };
      const reply = await trader.post(ORDERS, limit(order));

      expect(reply.status).to.equal(200);
      expect((await restingOf(service, trader))[0]).to.include({ stopCondition: condition, stopPrice: stop_price });
    });
  }

  it('keeps the given direction of a stop', async () => {
    const trader = await service.trader();
    const order = limit({
      execution_type: 'STOP_LIMIT',
      stop_price: 80_000,
      stop_condition: 'LTE',
      limit_price: 79_000,
    });

    const reply = await trader.post(ORDERS, order);

    expect(reply.status).to.equal(200);
    expect((await restingOf(service, trader))[0]).to.include({ stopCondition: 'LTE', stopPrice: 80_000 });
  });

  it('protects an open position by BRACKET, with and without a size', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());
    const bracket = { trade_pair: 'BTCUSDC', order_type: 'FLAT', execution_type: 'BRACKET' };

    const whole = await trader.post(ORDERS, { ...bracket, stop_loss: 90_000 });
    const part = await trader.post(ORDERS, { ...bracket, take_profit: 120_000, quantity: 0.004 });

    expect([whole.status, part.status]).to.deep.equal([200, 200]);
    const sizes = (await restingOf(service, trader)).map(({ quantity }) => Math.abs(quantity ?? 0));
    expect(sizes).to.have.members([0.01, 0.004]);
  });

  for (const [what, exits, uuids, first] of [
    ['brackets', { bracket_orders: [{ stop_loss: 80_000 }, { take_profit: 150_000, quantity: 0.002 }] }, [0, 1], null],
    ['a trailing stop', { trailing_stop: { trailing_percent: 0.05 } }, [0], { trailing_percent: 0.05 }],
  ] as const) {
    it(`passes ${what} on to the venue`, async () => {
      const trader = await service.trader();

      const reply = await trader.post(ORDERS, market(exits));

      const { order_uuid } = reply.body;
      const resting = await restingOf(service, trader);
      expect(reply.body.message).to.equal(null);
      expect(resting.map(({ uuid }) => uuid)).to.deep.equal(uuids.map((n) => `${order_uuid}-bracket-${n}`));
      expect(resting[0]?.trailingStop).to.deep.equal(first);
    });
  }

  it('reports what was executed when the venue made the order smaller', async () => {
    const trader = await service.trader();

    const reply = await trader.post(ORDERS, market({ leverage: 5 }));
    const status = await trader.get(`${ORDERS}/${reply.body.order_uuid}`);

    expect(reply.status).to.equal(200);
    expect(reply.body.executed).to.include({ leverage: 1.5, value: 15_000 });
    expect(reply.body.message).to.match(/smaller/);
    expect(status.body.executed).to.deep.equal(reply.body.executed);
  });

  it('reports a filled order although the venue rejected its brackets', async () => {
    const trader = await service.trader();

    const reply = await trader.post(ORDERS, market({ stop_loss: 200_000 }));

    expect(reply.status).to.equal(200);
    expect(reply.body).to.include({ success: true, status: 'accepted' });
    expect(reply.body.message).to.match(/filled, but/);
    expect(effectsOf(service, trader)).to.deep.equal(['market']);
  });

  it('accepts the caller’s uuid of an order, in upper and lower case', async () => {
    const trader = await service.trader();
    const order_uuid = newIntentId();

    const reply = await trader.post(ORDERS, market({ order_uuid: order_uuid.toUpperCase() }));

    expect(reply.body).to.include({ success: true, order_uuid });
    const id = orderIdOf(trader.owner, order_uuid);
    expect(effectsUnder(service, id)).to.have.length(1);
    expect(await venueOf(service).orderStatus(id)).to.have.nested.property('data.status', 'completed');
  });
});
