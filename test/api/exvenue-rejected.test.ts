import { expect } from 'chai';
import { effectsOn, whenActing } from '../support/exchange.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

describe('orders the exchange rejects', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { ORDER_DEADLINE_MS: '1500' } });
  });
  after(() => service.stop());
  afterEach(() => service.exchange.faults.clear());

  const market = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
  /** Its asset can only be traded with isolated margin. */
  const isolated = { ...market, pair: 'PURR', size: '100', leverage: 2 };
  const exchangeEffects = () => service.exchange.ledger.entries().length;

  const findInconsistency: [string, object, string][] = [
    ['below the minimum value', { ...market, size: '0.00001' }, 'below_minimum'],
    ['smaller than a lot', { ...market, size: '0.000001' }, 'lot_size'],
    ['worth less in USD than a lot', { ...market, size: '0.5', size_in_usd: true }, 'lot_size'],
    [
      'priced just below the smallest tick, by a number that is written with an exponent',
      { ...market, pair: 'DOGE', size: 20_000_000, order_type: 'limit', price: 9.9999999999999e-7 },
      'invalid_price',
    ],
  ];
  for (const [what, order, reason] of findInconsistency) {
    it(`are rejected before anything is sent: ${what}`, async () => {
      const trader = await service.wallet();
      const before = exchangeEffects();

      const reply = await trader.post('/v1/orders/exvenue', order);

      expectProblem(reply, 'V1_ORDER_INVALID', { reason, effect: 'none' });
      expect(exchangeEffects()).to.equal(before);
    });
  }

  it('are rejected for unknown and delisted pairs', async () => {
    const trader = await service.wallet();

    expectProblem(await trader.post('/v1/orders/exvenue', { ...market, pair: 'NOPE-USDC' }), 'V1_PAIR_UNKNOWN');
    expectProblem(await trader.post('/v1/orders/exvenue', { ...market, pair: 'MATIC' }), 'V1_PAIR_UNKNOWN');
  });

  it('pass on the exchange’s reason as a stable slug', async () => {
    const trader = await service.wallet();

    const margin = await trader.post('/v1/orders/exvenue', { ...market, size: '0.0404' });
    const posted = await trader.post('/v1/orders/exvenue', {
      ...market,
      order_type: 'limit',
      price: 110000,
      time_in_force: 'alo',
    });
    const unmatched = await trader.post('/v1/orders/exvenue', {
      ...market,
      order_type: 'limit',
      price: 90000,
      time_in_force: 'ioc',
    });
    const reducing = await trader.post('/v1/orders/exvenue', { ...market, reduce_only: true });

    expectProblem(margin, 'VENUE_REJECTED', { reason: 'insufficient_margin', effect: 'none' });
    expectProblem(posted, 'VENUE_REJECTED', { reason: 'post_only_would_match' });
    expectProblem(unmatched, 'VENUE_REJECTED', { reason: 'no_match' });
    expectProblem(reducing, 'VENUE_REJECTED', { reason: 'reduce_only' });
  });

  it('are rejected at once, and sent once, when their leverage is', async () => {
    const trader = await service.wallet();
    let actions = 0;
    const restore = whenActing(service, () => {
      actions += 1;
      return undefined;
    });

    const high = await trader.post('/v1/orders/exvenue', { ...market, pair: 'ETH', leverage: 26 });
    const cross = await trader.post('/v1/orders/exvenue', { ...isolated, is_cross: true });
    restore();

    expectProblem(high, 'VENUE_REJECTED', { reason: 'invalid_leverage', effect: 'none' });
    expectProblem(cross, 'VENUE_REJECTED', { reason: 'cross_not_allowed', effect: 'none' });
    expect(actions).to.equal(2);
    expect([...effectsOn(service, trader, 'leverage'), ...effectsOn(service, trader, 'placed')]).to.be.empty;
  });

  it('use the margin that the asset allows unless the caller chooses', async () => {
    const trader = await service.wallet();

    const placed = await trader.post('/v1/orders/exvenue', isolated);

    expect(placed.body, JSON.stringify(placed.body)).to.include({ status: 'filled' });
    expect(effectsOn(service, trader, 'leverage').map(({ detail }) => detail.isCross)).to.deep.equal([false]);
  });

  it('are retried within the deadline while the exchange limits the rate, then rejected', async () => {
    const trader = await service.wallet();

    const reply = await trader.post('/v1/orders/exvenue', { ...market, size: '0.0429' });

    expectProblem(reply, 'VENUE_RATE_LIMITED', { effect: 'none', retryable: true });
    expect(Number(reply.headers['retry-after'])).to.be.greaterThan(0);
  });

  it('end unsent when the exchange cannot be reached', async () => {
    const trader = await service.wallet();
    service.exchange.faults.add({ kind: 'status_500', route: 'POST /info' });

    const reply = await trader.post('/v1/orders/exvenue', { ...market, pair: 'xyz:TSLA' });

    expectProblem(reply, 'VENUE_UNREACHABLE', { effect: 'none', retryable: true });
    expect(await trader.get('/v1/orders/exvenue')).to.have.nested.property('body.error.code', 'VENUE_UNREADABLE');
  });
});
