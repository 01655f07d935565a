import { expect } from 'chai';
import { eventually } from '../support/money.ts';
import { effectsOf, limit, market, positionsOf, restingOf } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { comparedUntil } from '../support/protection.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const upstream = { style: '2026', pauseMs: 20 } as const;

/** The first attempt acts at the validator and its acknowledgement is lost; the miner reports what the second one was told. */
describe('an order whose first attempt inside the miner was not acknowledged', () => {
  let cooling: TestService;
  let quiet: TestService;
  before(async () => {
    [cooling, quiet] = await Promise.all([
      startService({ upstream: { ...upstream, cooldownMs: 600_000 } }),
      startService({ upstream }),
    ]);
  });
  after(() => Promise.all([cooling.stop(), quiet.stop()]));

  it('is cancelled, although the second attempt does not find it', async () => {
    const trader = await quiet.trader();
    const { body } = await trader.post(ORDERS, limit());
    quiet.miner.loseAcknowledgements(1);

    const reply = await trader.delete(`${ORDERS}/${body.order_uuid}?trade_pair=BTCUSDC`);

    expect(reply.status).to.equal(200);
    expect(reply.body).to.include({ success: true, lifecycle: 'cancelled' });
    expect(await restingOf(quiet, trader)).to.deep.equal([]);
  });

  it('is filled by its edit, although the second attempt does not find it', async () => {
    const trader = await quiet.trader();
    const { body } = await trader.post(ORDERS, limit());
    quiet.miner.loseAcknowledgements(1);

    const reply = await trader.post(`${ORDERS}/${body.order_uuid}/edit`, {
      trade_pair: 'BTCUSDC',
      limit_price: 101_000,
    });

    expect(reply.status).to.equal(200);
    expect(reply.body).to.include({ success: true, lifecycle: 'filled' });
    expect(reply.body.executed).to.include({ quantity: 0.01 });
  });

  for (const [what, first] of [
    ['replace others', { stop_loss: 90_000 }],
    ['are the first', {}],
  ] as const)
    it(`closes the position by exits that ${what}, although the second attempt finds none`, async () => {
      const trader = await quiet.trader();
      await trader.post(ORDERS, market(first));
      quiet.miner.loseAcknowledgements(1);

      const reply = await trader.post(`${ORDERS}/tp-sl`, { trade_pair: 'BTCUSDC', stop_loss: 110_000 });

      expect(await positionsOf(quiet, trader)).to.deep.equal([]);
      expect(reply.status).to.equal(200);
      expect(reply.body).to.include({ success: true, lifecycle: 'filled', protection: 'none' });
    });

  it('is filled, although the second attempt meets the cooldown', async () => {
    const trader = await cooling.trader();
    cooling.miner.loseAcknowledgements(1);

    const reply = await trader.post(ORDERS, market());

    expect(reply.status).to.equal(200);
    expect(reply.body).to.include({ success: true, lifecycle: 'filled', message: null });
    expect(reply.body.executed).to.include({ quantity: 0.01 });
  });

  it('is reported as the sum of its fills, with an alert, when both attempts were filled', async () => {
    const trader = await quiet.trader();
    quiet.miner.loseAcknowledgements(1);

    const reply = await trader.post(ORDERS, market());
    const status = await trader.get(`${ORDERS}/${reply.body.order_uuid}`);

    expect(effectsOf(quiet, trader)).to.deep.equal(['market', 'market']);
    expect(reply.body.executed).to.include({ quantity: 0.02, price: 100_000 });
    expect(reply.body.message).to.match(/2 times/);
    expect(status.body.executed).to.include({ quantity: 0.02 });
    expect(quiet.log.lines.map(({ alert }) => alert)).to.include('order_filled_again');
  });

  for (const { what, order, kind } of [
    { what: 'market order', order: market({ stop_loss: 90_000 }), kind: 'market' },
    { what: 'limit order at a price that is reached', order: limit({ limit_price: 101_000 }), kind: 'fill' },
  ])
    it(`is reported again, as the sum of its fills, when the second attempt was filled after the first was reported: a ${what}`, async () => {
      const slow = await startService({
        upstream: { style: '2026', pauseMs: 2_500, processingMs: 10 },
        settings: { NETVENUE_PATIENCE_MS: '200', NETVENUE_IN_FLIGHT_MS: '4000' },
      });
      try {
        const trader = await slow.trader();
        slow.miner.loseAcknowledgements(1);

        const reply = await trader.post(ORDERS, order);
        await eventually(async () => effectsOf(slow, trader).filter((effect) => effect === kind).length === 2);
        const second = await comparedUntil(slow.db, async () =>
          (await trader.get('/v1/events?limit=500&type=order.updated')).body.find(
            ({ data }: { data: { action: string } }) => data.action === 'lifecycle',
          ),
        );
        const status = await trader.get(`${ORDERS}/${reply.body.order_uuid}`);

        const statement = await trader.get('/v1/statements?kind=fill');

        const stated = statement.body.map(({ side, quantity, price }: Record<string, string>) => ({
          side,
          quantity,
          price,
        }));
        expect(stated).to.deep.equal([
          { side: 'LONG', quantity: '0.01', price: '100000' },
          { side: 'LONG', quantity: '0.01', price: '100000' },
        ]);
        expect(reply.body.executed).to.include({ quantity: 0.01 });
        expect(second.data.executed).to.include({ quantity: 0.02 });
        expect(second.data).to.include({ order_uuid: reply.body.order_uuid, position_changed: true });
        expect(status.body.executed).to.include({ quantity: 0.02 });
        expect(slow.log.lines.map(({ alert }) => alert)).to.include('order_filled_again');
      } finally {
        await slow.stop();
      }
    });

  it('is not reported as cancelled within the cooldown while the second attempt may fill it', async () => {
    const slow = await startService({
      upstream: { style: '2026', pauseMs: 2_500, cooldownMs: 1_500, processingMs: 10 },
      settings: { NETVENUE_PATIENCE_MS: '200', NETVENUE_IN_FLIGHT_MS: '4000' },
    });
    try {
      const trader = await slow.trader();
      await trader.post(ORDERS, market());
      slow.miner.loseAcknowledgements(1);

      const reply = await trader.post(ORDERS, limit({ limit_price: 101_000 })); // reached already

      await eventually(async () => effectsOf(slow, trader).includes('fill'));
      const status = await trader.get(`${ORDERS}/${reply.body.order_uuid}`);
      expect(status.body.lifecycle).to.equal('filled');
      expect(status.body.executed).to.include({ quantity: 0.01 });
    } finally {
      await slow.stop();
    }
  });

  it('cannot be cancelled or edited as one that has ended while the second attempt may fill it', async () => {
    const slow = await startService({
      upstream: { style: '2026', pauseMs: 5_000, cooldownMs: 4_500, processingMs: 10 },
      settings: { NETVENUE_PATIENCE_MS: '200', NETVENUE_IN_FLIGHT_MS: '8000' },
    });
    try {
      const trader = await slow.trader();
      await trader.post(ORDERS, market());
      slow.miner.loseAcknowledgements(1);
      const placed = await trader.post(ORDERS, limit({ limit_price: 101_000 }), { prefer: 'wait=1' });

      const path = `${ORDERS}/${placed.body.order_uuid}`;
      const replies = [
        await trader.delete(`${path}?trade_pair=BTCUSDC`),
        await trader.post(`${path}/edit`, { trade_pair: 'BTCUSDC', limit_price: 90_000 }),
      ];
      const before = effectsOf(slow, trader);

      expect(before).to.deep.equal(['market', 'limit']);
      for (const reply of replies) expectProblem(reply, 'V1_ORDER_IN_DOUBT', { effect: 'none' });
      await eventually(async () => effectsOf(slow, trader).includes('fill'));
    } finally {
      await slow.stop();
    }
  });

  it('is not reported as filled when it closes a position that is not open', async () => {
    const trader = await quiet.trader();

    const reply = await trader.post(ORDERS, { trade_pair: 'BTCUSDC', order_type: 'FLAT' });
    const status = await trader.get(`${ORDERS}/${reply.body.order_uuid}`);

    expect(reply.body).to.include({ success: true, lifecycle: null, executed: null });
    expect(reply.body.message).to.match(/nothing was executed/);
    expect(status.body).to.include({ status: 'completed', lifecycle: null, executed: null });
  });

  it('is rejected when complete records show that no attempt had an effect', async () => {
    const trader = await quiet.trader();
    quiet.miner.loseAcknowledgements(1);

    const reply = await trader.post(ORDERS, market({ leverage: 0.0404 })); // for lack of a live price

    expectProblem(reply, 'VENUE_REJECTED', { reason: 'no_live_prices', effect: 'none' });
    expect(await positionsOf(quiet, trader)).to.deep.equal([]);
  });
});
