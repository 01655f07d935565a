import { expect } from 'chai';
import { effectsOf, limit, market, positionsOf, restingOf, SUBMIT } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const TP_SL = `${ORDERS}/tp-sl`;
const protection = (more: object) => ({ trade_pair: 'BTCUSDC', ...more });

describe('setNetvenueTpSl', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350' } });
  });
  after(() => service.stop());
  afterEach(() => service.miner.setPrice('BTCUSDC', 100_000));

  const holder = async (order: object = {}) => {
    const trader = await service.trader();
    const reply = await trader.post(ORDERS, market(order));
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
    return trader;
  };

  it('adds protection where there is none, under its own uuid', async () => {
    const trader = await holder();

    const form = { order_type: 'FLAT', execution_type: 'BRACKET' }; // what the published client and the order form say
    const reply = await trader.post(TP_SL, protection({ ...form, stop_loss: 90_000, take_profit: 120_000 }));

    const [bracket, ...others] = await restingOf(service, trader);
    expect(reply.status).to.equal(200);
    expect(bracket).to.include({ uuid: reply.body.order_uuid, stopLoss: 90_000, takeProfit: 120_000 });
    expect(others).to.deep.equal([]);
  });

  it('replaces existing protection: one bracket remains', async () => {
    const trader = await holder();
    const first = await trader.post(TP_SL, protection({ stop_loss: 90_000, take_profit: 120_000 }));

    const second = await trader.post(TP_SL, protection({ stop_loss: 95_000 }));

    const [bracket, ...others] = await restingOf(service, trader);
    expect(second.status).to.equal(200);
    expect(second.body.order_uuid).to.equal(first.body.order_uuid);
    expect(bracket).to.include({ uuid: first.body.order_uuid, stopLoss: 95_000, takeProfit: null });
    expect(others).to.deep.equal([]);
  });

  it('replaces many brackets by one', async () => {
    const trader = await holder({ bracket_orders: [{ stop_loss: 80_000 }, { take_profit: 150_000, quantity: 0.002 }] });

    const reply = await trader.post(TP_SL, protection({ trailing_stop: { trailing_value: 5_000 } }));

    const [bracket, ...others] = await restingOf(service, trader);
    expect(reply.status).to.equal(200);
    expect(bracket).to.deep.include({ stopLoss: null, takeProfit: null, trailingStop: { trailing_value: 5_000 } });
    expect(others).to.deep.equal([]);
  });

  it('adds protection for a part next to the existing one', async () => {
    const trader = await holder();
    await trader.post(TP_SL, protection({ stop_loss: 90_000 }));

    const reply = await trader.post(TP_SL, protection({ take_profit: 110_000, quantity: 0.004 }));

    const resting = await restingOf(service, trader);
    expect(reply.status).to.equal(200);
    expect(resting.map(({ quantity }) => quantity)).to.have.members([-0.01, -0.004]);
  });

  it('gives protection that came with an order a uuid that can be used', async () => {
    const trader = await holder({ stop_loss: 80_000 });

    const replaced = await trader.post(TP_SL, protection({ stop_loss: 90_000 }));
    const again = await trader.post(TP_SL, protection({ stop_loss: 91_000 }));
    const path = `${ORDERS}/${replaced.body.order_uuid}`;
    const shown = await trader.get(path);
    const edited = await trader.post(`${path}/edit`, protection({ stop_loss: 92_000 }));
    const [bracket] = await restingOf(service, trader);
    const cancelled = await trader.delete(`${path}?trade_pair=BTCUSDC`);

    expect([replaced.status, again.status]).to.deep.equal([200, 200]);
    expect(again.body.order_uuid).to.equal(replaced.body.order_uuid);
    expect(shown.body).to.include({ status: 'completed', lifecycle: 'resting', execution_type: 'BRACKET' });
    expect(edited.status).to.equal(200);
    expect(bracket).to.include({ stopLoss: 92_000 });
    expect(cancelled.status).to.equal(200);
    expect(await restingOf(service, trader)).to.deep.equal([]);
  });

  it('protects the whole position again after protection of a part', async () => {
    const trader = await holder();
    await trader.post(TP_SL, protection({ stop_loss: 90_000, quantity: 0.004 }));

    const reply = await trader.post(TP_SL, protection({ stop_loss: 95_000 }));
    service.miner.setPrice('BTCUSDC', 94_000);

    expect(reply.status).to.equal(200);
    expect(await positionsOf(service, trader)).to.deep.equal([]);
  });

  it('closes the position when its price is reached, and is then filled', async () => {
    const trader = await holder();
    const placed = await trader.post(TP_SL, protection({ take_profit: 110_000 }));
    service.miner.setPrice('BTCUSDC', 111_000);

    const status = await trader.get(`${ORDERS}/${placed.body.order_uuid}`);

    expect(status.body).to.include({ status: 'completed', lifecycle: 'filled' });
    expect(await positionsOf(service, trader)).to.deep.equal([]);
  });

  it('is 409 without a position, even with a resting order', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, limit());

    const reply = await trader.post(TP_SL, protection({ stop_loss: 80_000 }));

    expectProblem(reply, 'V1_NO_POSITION', { effect: 'none' });
  });

  it('is rejected by the venue when the prices are on the wrong side', async () => {
    const trader = await holder();

    const reply = await trader.post(TP_SL, protection({ stop_loss: 110_000 }));

    expectProblem(reply, 'VENUE_REJECTED', { reason: 'bracket_invalid', effect: 'none' });
  });

  for (const [what, first] of [
    ['added', {}],
    ['replaced', { stop_loss: 80_000 }],
  ] as const) {
    it(`is reconciled when the response to protection ${what} was lost`, async () => {
      const trader = await holder(first);
      service.miner.faults.add({ kind: 'accept_then_drop', route: SUBMIT, times: 1 });

      const reply = await trader.post(TP_SL, protection({ stop_loss: 90_000 }), { prefer: 'wait=0' });
      const intent = await trader.poll(reply);

      expect(reply.headers.location).to.equal(`/v1/intents/${reply.headers['intent-id']}`);
      expect(intent).to.include({ kind: 'network/protect', state: 'succeeded', effect: 'done' });
      expect((await restingOf(service, trader)).map(({ stopLoss }) => stopLoss)).to.deep.equal([90_000]);
    });
  }

  it('has no effect when it never arrived', async () => {
    const trader = await holder({ stop_loss: 80_000 });
    service.miner.faults.add({ kind: 'reset', route: SUBMIT, times: 1 });

    const reply = await trader.post(TP_SL, protection({ stop_loss: 90_000 }));

    expectProblem(reply, 'NOT_CARRIED_OUT', { effect: 'none' });
    expect(effectsOf(service, trader)).to.deep.equal(['market', 'bracket']);
  });

  for (const [what, before] of [
    ['covers more', { stop_loss: 90_000, quantity: 0.004 }],
    ['has no take_profit any more', { stop_loss: 90_000, take_profit: 120_000 }],
  ] as const) {
    it(`has no effect when it never arrived and only ${what}`, async () => {
      const trader = await holder();
      await trader.post(TP_SL, protection(before));
      const [resting] = await restingOf(service, trader);
      service.miner.faults.add({ kind: 'reset', route: SUBMIT, times: 1 });

      const reply = await trader.post(TP_SL, protection({ stop_loss: 90_000 }));

      expectProblem(reply, 'NOT_CARRIED_OUT', { effect: 'none' });
      expect(await restingOf(service, trader)).to.deep.equal([resting]);
    });

    it(`is reconciled when its response was lost and it only ${what}`, async () => {
      const trader = await holder();
      await trader.post(TP_SL, protection(before));
      service.miner.faults.add({ kind: 'accept_then_drop', route: SUBMIT, times: 1 });

      const intent = await trader.poll(
        await trader.post(TP_SL, protection({ stop_loss: 90_000 }), { prefer: 'wait=0' }),
      );
      const [bracket] = await restingOf(service, trader);

      expect(intent).to.include({ state: 'succeeded', effect: 'done' });
      expect(bracket).to.include({ stopLoss: 90_000, takeProfit: null, quantity: -0.01 });
    });
  }

  it('has no effect when it never arrived and only replaces others', async () => {
    const trader = await holder({ bracket_orders: [{ stop_loss: 90_000 }, { take_profit: 150_000, quantity: 0.002 }] });
    service.miner.faults.add({ kind: 'reset', route: SUBMIT, times: 1 });

    const reply = await trader.post(TP_SL, protection({ stop_loss: 90_000 }));

    expectProblem(reply, 'NOT_CARRIED_OUT', { effect: 'none' });
    expect(await restingOf(service, trader)).to.have.length(2);
  });

  it('is reconciled when its response was lost and it only replaces others', async () => {
    const trader = await holder({ bracket_orders: [{ stop_loss: 90_000 }, { take_profit: 150_000, quantity: 0.002 }] });
    service.miner.faults.add({ kind: 'accept_then_drop', route: SUBMIT, times: 1 });

    const intent = await trader.poll(await trader.post(TP_SL, protection({ stop_loss: 90_000 }), { prefer: 'wait=0' }));

    expect(intent).to.include({ state: 'succeeded', effect: 'done' });
    expect(await restingOf(service, trader)).to.have.length(1);
  });
});
