import { expect } from 'chai';
import { control, effectsOf, limit, market } from '../support/orders.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';

describe('orders the network rejects', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ upstream: { cooldownMs: 5_000 } });
  });
  after(() => service.stop());
  afterEach(() => service.miner.faults.clear());

  /** Leaves the decision to the venue: its own state cannot be read beforehand. */
  const failValidatorReads = () => service.miner.faults.add({ kind: 'status_500', route: '/validator/' });

  for (const [reason, order] of [
    ['no_live_prices', market({ leverage: 0.0404 })],
    ['pair_not_allowed', market({ trade_pair: 'EURUSD', quantity: 1 })],
    ['pair_not_allowed', market({ trade_pair: 'PAXGUSDC' })],
    ['below_minimum', market({ value: 1 })],
    [
      'bracket_invalid',
      market({ order_type: 'FLAT', execution_type: 'BRACKET', stop_loss: 90_000, leverage: undefined }),
    ],
  ] as const) {
    it(`report the reason ${reason}: ${JSON.stringify(order)}`, async () => {
      const trader = await service.trader();
      failValidatorReads();

      const reply = await trader.post(ORDERS, order);
      const intent = await trader.get(`/v1/intents/${reply.headers['intent-id']}`);
      const status = await trader.get(`${ORDERS}/${reply.headers['intent-id']}`);

      expectProblem(reply, 'VENUE_REJECTED', { reason, effect: 'none', retryable: false });
      expect(effectsOf(service, trader)).to.deep.equal([]);
      expect(intent.body).to.deep.include({ state: 'failed', effect: 'none', result: null });
      expect(intent.body.problem).to.include({ code: 'VENUE_REJECTED', reason });
      expect(status.body).to.include({ status: 'failed', lifecycle: null, message: reply.body.error.message });
    });
  }

  it('report a closed market', async () => {
    const trader = await service.trader();
    await control(service, 'price', { pair: 'SOLUSDC', open: false });

    const reply = await trader.post(ORDERS, market({ trade_pair: 'SOLUSDC' }));

    expectProblem(reply, 'VENUE_REJECTED', { reason: 'market_closed', effect: 'none' });
  });

  it('report an eliminated subaccount', async () => {
    const trader = await service.trader();
    await control(service, 'subaccount', { subaccount_id: Number(trader.traderId), elimination: 'MAX_TOTAL_DRAWDOWN' });
    failValidatorReads();

    const reply = await trader.post(ORDERS, limit());

    expectProblem(reply, 'VENUE_REJECTED', { reason: 'eliminated', effect: 'none' });
  });

  it('report an exhausted account limit', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market({ leverage: 1.5 }));

    const reply = await trader.post(ORDERS, limit({ limit_price: 100_000 }));

    expectProblem(reply, 'VENUE_REJECTED', { reason: 'no_buying_power', effect: 'none' });
  });

  it('within the cooldown are 429 with the seconds to wait', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());

    const reply = await trader.post(ORDERS, market());

    expectProblem(reply, 'VENUE_COOLDOWN', { effect: 'none', retryable: true });
    expect(reply.headers['retry-after']).to.equal('5');
    expect(effectsOf(service, trader)).to.deep.equal(['market']);
  });

  it('within the cooldown of one pair do not block another pair', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market());

    const reply = await trader.post(ORDERS, market({ trade_pair: 'ETHUSDC' }));

    expect(reply.status).to.equal(200);
  });

  it('with inconsistent prices never reach the venue', async () => {
    const trader = await service.trader();

    const replies = await Promise.all([
      trader.post(ORDERS, limit({ stop_loss: 95_000 })),
      trader.post(ORDERS, limit({ take_profit: 85_000 })),
      trader.post(ORDERS, limit({ order_type: 'SHORT', limit_price: 110_000, stop_loss: 100_000 })),
      trader.post(ORDERS, limit({ order_type: 'SHORT', limit_price: 110_000, take_profit: 120_000 })),
    ]);

    for (const reply of replies) {
      expectProblem(reply, 'V1_PRICES_INVALID', { effect: 'none' });
      expect(reply.headers).not.to.have.property('intent-id');
    }
  });
});

describe('a network that rejects our key', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { NETVENUE_MINER_KEY: 'wrong-key' } });
  });
  after(() => service.stop());

  it('leads to 502 VENUE_AUTH for the caller, never 401', async () => {
    const partner = await service.partner();

    const reply = await partner.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 10_000 });

    expectProblem(reply, 'VENUE_AUTH', { effect: 'none', retryable: false });
    expect(reply.headers).not.to.have.property('www-authenticate');
  });
});
