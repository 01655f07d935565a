import { expect } from 'chai';
import { newIntentId, orderIdOf } from '../../src/kernel/ids.ts';
import { effectsOf, effectsUnder, limit, market, positionsOf, restingOf, SUBMIT, venueOf } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const quick = { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350' };

describe('a network of the newest generation', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: quick, upstream: { style: '2026' } });
  });
  after(() => service.stop());
  afterEach(() => {
    service.miner.faults.clear();
    service.miner.setPrice('BTCUSDC', 100_000);
  });

  it('reports what was executed, although the miner prints the order as Python does', async () => {
    const trader = await service.trader();

    const reply = await trader.post(ORDERS, market());

    expect(reply.body.executed).to.include({ order_type: 'LONG', quantity: 0.01, price: 100_000 });
    expect(reply.body).to.include({ protection: 'none', protection_error: null });
  });

  for (const [what, order] of [
    ['market order', market({ stop_loss: 110_000 })],
    ['limit order that is filled at once', limit({ limit_price: 120_000, stop_loss: 110_000 })],
  ] as const) {
    it(`a ${what} whose exits it rejected is filled, and its protection has failed`, async () => {
      const trader = await service.trader();

      const reply = await trader.post(ORDERS, order);
      const status = await trader.get(`${ORDERS}/${reply.body.order_uuid}`);

      expect(reply.status).to.equal(200);
      expect(reply.body).to.include({ success: true, status: 'accepted', protection: 'failed' });
      expect(reply.body.executed).to.include({ quantity: 0.01, price: 100_000 });
      expect(reply.body.protection_error).to.match(/stop-loss/);
      expect(status.body).to.include({ status: 'completed', lifecycle: 'filled', protection: 'failed' });
      expect(await positionsOf(service, trader)).to.have.length(1);
    });
  }

  for (const [text, reason] of [
    ['Invalid LONG bracket order [x-bracket-0]: stop_loss (5) must be < reference_price (4)', 'bracket_invalid'],
    ['Could not fill limit order [x] [y] [z]: No buying power remaining for BTC. Cancelling order', 'no_buying_power'],
    ['The moon is full', 'The moon is full'],
  ] as const) {
    it(`reports no effect of a protected order that it does not have: ${text}`, async () => {
      const trader = await service.trader();
      service.miner.faults.add({ kind: 'reject', route: SUBMIT, times: 1, text });

      const reply = await trader.post(ORDERS, market({ stop_loss: 90_000 }));

      expectProblem(reply, 'VENUE_REJECTED', { reason, effect: 'none', retryable: false });
      expect(await positionsOf(service, trader)).to.deep.equal([]);
    });
  }

  it('leaves an unproven rejection in doubt while its records cannot be read', async () => {
    const trader = await service.trader();
    service.miner.faults.add({ kind: 'reject', route: SUBMIT, times: 1, text: 'Invalid LONG bracket order [x]' });
    service.miner.faults.add({ kind: 'status_500', route: '/validator/' });

    const reply = await trader.post(ORDERS, market({ stop_loss: 90_000 }), { prefer: 'wait=1' });
    service.miner.faults.clear();

    expect(reply.status).to.equal(202);
    expect(await trader.poll(reply)).to.include({ status: 'failed' });
  });

  it('a filled order whose response was lost is reported with the state of its exits', async () => {
    const trader = await service.trader();
    service.miner.faults.add({ kind: 'accept_then_drop', route: SUBMIT, times: 2 });

    const [good, bad] = await Promise.all([
      trader.post(ORDERS, market({ stop_loss: 90_000 })),
      trader.post(ORDERS, market({ trade_pair: 'ETHUSDC', stop_loss: 5_000 })),
    ]);

    expect(good.body).to.include({ status: 'accepted', protection: 'placed', protection_error: null });
    expect(bad.body).to.include({ status: 'accepted', protection: 'failed' });
  });

  it('does not take the archived rejection of a cancellation for that of the order', async () => {
    const trader = await service.trader();
    const order_uuid = newIntentId();
    const id = orderIdOf(trader.owner, order_uuid);
    service.miner.faults.add({ kind: 'accept_then_drop', route: SUBMIT, times: 1 });
    service.miner.faults.add({ kind: 'status_500', route: '/validator/' });
    const placed = await trader.post(ORDERS, limit({ order_uuid }), { prefer: 'wait=0' });
    const rejected = { order_uuid: id, subaccount_id: Number(trader.traderId), execution_type: 'LIMIT_EDIT' } as const;
    await venueOf(service).submit({ ...rejected, trade_pair: 'ETHUSDC', order_type: 'LONG', quantity: 1 });
    service.miner.faults.clear();

    const order = await trader.poll(placed);

    expect(order).to.include({ status: 'completed', lifecycle: 'resting' });
    expect(effectsUnder(service, id).map(({ kind }) => kind)).to.deep.equal(['limit']);
  });

  describe('when a stop-limit was triggered', () => {
    const stop = limit({ execution_type: 'STOP_LIMIT', stop_price: 105_000, limit_price: 104_000 });
    const triggered = async (more: object = {}) => {
      const trader = await service.trader();
      const { body } = await trader.post(ORDERS, { ...stop, ...more });
      service.miner.setPrice('BTCUSDC', 106_000);
      return { trader, uuid: String(body.order_uuid), path: `${ORDERS}/${body.order_uuid}` };
    };

    it('shows it as resting', async () => {
      const { trader, path } = await triggered();

      const { body } = await trader.get(path);

      expect(body).to.include({ status: 'completed', lifecycle: 'resting', executed: null });
    });

    it('shows it as filled once its limit order is', async () => {
      const { trader, path } = await triggered();
      service.miner.setPrice('BTCUSDC', 103_000);

      const { body } = await trader.get(path);

      expect(body).to.include({ status: 'completed', lifecycle: 'filled' });
      expect(body.executed).to.include({ price: 103_000, quantity: 0.01 });
    });

    it('cancels it', async () => {
      const { trader, path } = await triggered();

      const reply = await trader.delete(`${path}?trade_pair=BTCUSDC`);

      expect(reply.status).to.equal(200);
      expect(await restingOf(service, trader)).to.deep.equal([]);
      expect((await trader.get(path)).body).to.include({ lifecycle: 'cancelled' });
    });

    it('edits it, but not its trigger', async () => {
      const { trader, path } = await triggered();

      const late = await trader.post(`${path}/edit`, { trade_pair: 'BTCUSDC', stop_price: 101_000 });
      const reply = await trader.post(`${path}/edit`, { trade_pair: 'BTCUSDC', limit_price: 103_500 });

      expectProblem(late, 'V1_EDIT_INVALID', { effect: 'none' });
      expect(reply.status).to.equal(200);
      expect((await restingOf(service, trader)).map(({ limitPrice }) => limitPrice)).to.deep.equal([103_500]);
    });

    it('protects and closes the position that it opened', async () => {
      const { trader } = await triggered({ stop_loss: 90_000 });
      service.miner.setPrice('BTCUSDC', 103_000);

      const protectedReply = await trader.post(`${ORDERS}/tp-sl`, { trade_pair: 'BTCUSDC', stop_loss: 95_000 });
      const resting = await restingOf(service, trader);
      const closed = await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });

      expect(protectedReply.status).to.equal(200);
      expect(resting.map(({ stopLoss }) => stopLoss)).to.deep.equal([95_000]);
      expect(closed.status).to.equal(200);
      expect(closed.body.executed).to.include({ quantity: -0.01 });
      expect(await positionsOf(service, trader)).to.deep.equal([]);
    });
  });

  it('does not let a cancellation take the exits of a filled order', async () => {
    const trader = await service.trader();
    const { body } = await trader.post(ORDERS, limit({ stop_loss: 80_000 }));
    service.miner.setPrice('BTCUSDC', 89_000);

    const reply = await trader.delete(`${ORDERS}/${body.order_uuid}?trade_pair=BTCUSDC`);

    expectProblem(reply, 'V1_ORDER_NOT_RESTING', { effect: 'none' });
    expect((await restingOf(service, trader)).map(({ stopLoss }) => stopLoss)).to.deep.equal([80_000]);
  });

  it('reports that an edit made the venue cancel the order', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market({ leverage: 1.4 }));
    const { body } = await trader.post(ORDERS, limit({ quantity: 0.005 }));
    await trader.post(ORDERS, market({ leverage: 0.1 }));
    const path = `${ORDERS}/${body.order_uuid}`;

    const reply = await trader.post(`${path}/edit`, { trade_pair: 'BTCUSDC', limit_price: 101_000 });

    if (reply.status === 200) expect(reply.body.message).to.match(/cancelled/);
    else expectProblem(reply, 'VENUE_REJECTED', { effect: 'none' });
    const resting = await restingOf(service, trader);
    expect(resting.length === 1).to.equal(reply.status !== 200);
  });

  describe('closing a position', () => {
    const holder = async (others: object[]) => {
      const trader = await service.trader();
      await trader.post(ORDERS, market({ stop_loss: 90_000 }));
      for (const other of others) await trader.post(ORDERS, market({ trade_pair: 'ETHUSDC', ...other }));
      return trader;
    };

    it('leaves the exits of other pairs in place', async () => {
      const trader = await holder([{ stop_loss: 3_000 }]);

      const reply = await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });

      expect(reply.status).to.equal(200);
      expect(reply.body.executed).to.include({ quantity: -0.01 });
      expect((await positionsOf(service, trader)).map(({ tradePair }) => tradePair)).to.deep.equal(['ETHUSDC']);
      expect((await restingOf(service, trader)).map(({ stopLoss }) => stopLoss)).to.deep.equal([3_000]);
    });

    it('is sent as FLAT_ALL when no other pair holds exits', async () => {
      const trader = await holder([{}]);

      const reply = await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });

      expect(reply.body).to.include({ status: 'accepted', message: null });
      expect(effectsOf(service, trader).at(-1)).to.equal('flat_all');
      expect(await positionsOf(service, trader)).to.have.length(1);
    });

    it('waits out the pause of the venue and is sent again under a new uuid', async () => {
      const trader = await holder([{ stop_loss: 3_000 }]);
      const text =
        'Order for trade pair [BTCUSDC] was placed too soon after the previous order. Please wait 0.4 seconds';
      service.miner.faults.add({ kind: 'reject', route: SUBMIT, times: 1, text });

      const reply = await trader.post(`${ORDERS}/close`, { trade_pair: 'BTCUSDC' });

      expect(reply.status).to.equal(200);
      expect(await positionsOf(service, trader)).to.have.length(1);
    });
  });
});
