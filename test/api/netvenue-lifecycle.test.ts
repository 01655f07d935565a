import { expect } from 'chai';
import { limit, market, positionsOf, restingOf, SUBMIT } from '../support/orders.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const TP_SL = `${ORDERS}/tp-sl`;
const settings = { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '350' };

/** As the newest network does: it executes what its price has reached at once, and rejects that within the cooldown. */
describe('an order that the network ends by carrying out a command', () => {
  let service: TestService;
  let quiet: TestService;
  before(async () => {
    [service, quiet] = await Promise.all([
      startService({ settings, upstream: { style: '2026', cooldownMs: 600_000 } }),
      startService({ settings, upstream: { style: '2026' } }),
    ]);
  });
  after(() => Promise.all([service.stop(), quiet.stop()]));

  const holder = async (at: TestService) => {
    const trader = await at.trader();
    await trader.post(ORDERS, market({ stop_loss: 90_000 }));
    return trader;
  };
  const crossed = { trade_pair: 'BTCUSDC', stop_loss: 110_000 };

  describe('within the cooldown', () => {
    for (const [what, lose] of [
      ['', false],
      [', when the response is lost', true],
    ] as const)
      it(`reports that new exits at a price that was reached have left the position without any${what}`, async () => {
        const trader = await holder(service);
        if (lose) service.miner.faults.add({ kind: 'accept_then_drop', route: SUBMIT, times: 1 });

        const reply = await trader.post(TP_SL, crossed);
        const status = await trader.get(`${ORDERS}/${reply.body.order_uuid}`);

        expect(await restingOf(service, trader)).to.deep.equal([]);
        expect(await positionsOf(service, trader)).to.have.length(1);
        expect(reply.status).to.equal(200);
        expect(reply.body).to.include({ success: false, status: 'rejected', lifecycle: 'cancelled' });
        expect(reply.body).to.include({ protection: 'failed', executed: null });
        expect(reply.body.protection_error).to.match(/pause/);
        expect(status.body).to.include({ lifecycle: 'cancelled', protection: 'failed' });
        const alerts = service.log.lines.filter(({ alert }) => alert === 'position_unprotected');
        expect(alerts.map(({ intent_id }) => intent_id)).to.include(reply.headers['intent-id']);
        expect((await trader.get(`${ORDERS}?state=open`)).body).to.deep.equal([]);
        const { body } = await trader.get('/v1/events?limit=100&type=order.updated');
        expect(body.at(-1).data).to.include({ action: 'protect', lifecycle: 'cancelled', status: 'completed' });
      });

    it('reports the same of an edit of the exits', async () => {
      const trader = await holder(service);
      const { body } = await trader.post(TP_SL, { trade_pair: 'BTCUSDC', stop_loss: 91_000 });

      const reply = await trader.post(`${ORDERS}/${body.order_uuid}/edit`, crossed);
      const status = await trader.get(`${ORDERS}/${body.order_uuid}`);

      expect(await restingOf(service, trader)).to.deep.equal([]);
      expect(reply.body).to.include({ success: false, lifecycle: 'cancelled', protection: 'failed' });
      expect(status.body).to.include({ lifecycle: 'cancelled', protection: 'failed' });
    });

    it('does not report success when an edit made it cancel a limit order', async () => {
      const trader = await holder(service);
      const { body } = await trader.post(ORDERS, limit({ stop_loss: 80_000 }));

      const reply = await trader.post(`${ORDERS}/${body.order_uuid}/edit`, {
        trade_pair: 'BTCUSDC',
        limit_price: 101_000,
      });

      expect(reply.status).to.equal(200);
      expect(reply.body).to.include({ success: false, status: 'rejected', lifecycle: 'cancelled', protection: 'none' });
      expect(reply.body.message).to.match(/cancelled the order/);
      expect((await trader.get(`${ORDERS}/${body.order_uuid}`)).body).to.include({ lifecycle: 'cancelled' });
    });
  });

  describe('without a cooldown', () => {
    for (const [what, lose] of [
      ['', false],
      [', when the response is lost', true],
    ] as const)
      it(`reports that new exits at a price that was reached have closed the position${what}`, async () => {
        const trader = await holder(quiet);
        if (lose) quiet.miner.faults.add({ kind: 'accept_then_drop', route: SUBMIT, times: 1 });

        const reply = await trader.post(TP_SL, crossed);
        const status = await trader.get(`${ORDERS}/${reply.body.order_uuid}`);

        expect(await positionsOf(quiet, trader)).to.deep.equal([]);
        expect(reply.body).to.include({ success: true, lifecycle: 'filled', protection: 'none' });
        expect(reply.body.executed).to.include({ quantity: -0.01, price: 100_000 });
        expect(status.body).to.include({ lifecycle: 'filled', protection: 'none' });
        expect(status.body.executed).to.include({ quantity: -0.01 });
      });

    it('reports the same of the first exits of a position', async () => {
      const trader = await quiet.trader();
      await trader.post(ORDERS, market());

      const reply = await trader.post(TP_SL, crossed);

      expect(await positionsOf(quiet, trader)).to.deep.equal([]);
      expect(reply.body).to.include({ success: true, lifecycle: 'filled', protection: 'none' });
      expect(reply.body.executed).to.include({ quantity: -0.01 });
    });

    it('reports that an edit has filled a limit order, with its exits', async () => {
      const trader = await quiet.trader();
      const { body } = await trader.post(ORDERS, limit({ stop_loss: 80_000 }));

      const reply = await trader.post(`${ORDERS}/${body.order_uuid}/edit`, {
        trade_pair: 'BTCUSDC',
        limit_price: 101_000,
      });

      expect(reply.body).to.include({ success: true, lifecycle: 'filled', protection: 'placed' });
      expect(reply.body.executed).to.include({ quantity: 0.01 });
      expect((await trader.get(`${ORDERS}/${body.order_uuid}`)).body).to.include({ lifecycle: 'filled' });
    });
  });

  it('reports the lifecycle of what rests, is filled and is cancelled', async () => {
    const trader = await quiet.trader();

    const placed = await trader.post(ORDERS, limit());
    const filled = await trader.post(ORDERS, market());
    const cancelled = await trader.delete(`${ORDERS}/${placed.body.order_uuid}?trade_pair=BTCUSDC`);

    expect([placed, filled, cancelled].map(({ body }) => body.lifecycle)).to.deep.equal([
      'resting',
      'filled',
      'cancelled',
    ]);
  });
});
