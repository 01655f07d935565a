import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { control, market } from '../support/orders.ts';
import { countCalls, linkedWallet, move, SHORT_TIMEOUTS, STALE_MS } from '../support/portfolio.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

describe('orders are checked against the certain rules before they are sent:', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: SHORT_TIMEOUTS });
  });
  after(() => service.stop());

  const ORDERS = '/v1/orders/netvenue';
  const submitted = (calls: string[]) => calls.filter((call) => call.includes('submit-order'));

  for (const [reason, order] of [
    ['pair.unknown', market({ trade_pair: 'NOSUCH' })],
    ['pair.allowed', market({ trade_pair: 'PAXGUSDC' })],
    ['order.minimum', market({ value: 9.99 })],
  ] as const) {
    it(`${reason} of ${JSON.stringify(order)}`, async () => {
      const trader = await service.trader();
      const counted = countCalls(service.miner);

      const reply = await trader.post(ORDERS, order);

      counted.stop();
      expectProblem(reply, 'V1_RULE_VIOLATED', { reason, effect: 'none', retryable: false });
      expect(submitted(counted.calls)).to.deep.equal([]);
    });
  }

  it('account.status of an eliminated account', async () => {
    const trader = await service.trader();
    await move(service, trader.traderId, { elimination: 'MAX_TOTAL_DRAWDOWN' });
    const counted = countCalls(service.miner);

    const reply = await trader.post(ORDERS, market());

    counted.stop();
    expectProblem(reply, 'V1_RULE_VIOLATED', { reason: 'account.status', effect: 'none' });
    expect(submitted(counted.calls)).to.deep.equal([]);
  });

  it('account.status of a wallet whose account is eliminated; closing still works', async () => {
    const trader = await linkedWallet(service);
    const order = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
    expect((await trader.post('/v1/orders/exvenue', order)).status).to.equal(200);
    await move(service, trader.traderId, { elimination: 'LIQUIDATED' });
    await sleep(STALE_MS);

    const rejected = await trader.post('/v1/orders/exvenue', order);
    const closed = await trader.post('/v1/orders/exvenue/close', { pair: 'BTC' });

    expectProblem(rejected, 'V1_RULE_VIOLATED', { reason: 'account.status', effect: 'none' });
    expect(closed.status).to.equal(200);
  });

  it('a small order that reduces a position just opened is accepted', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market({ leverage: 0.5 }));

    const reply = await trader.post(ORDERS, market({ order_type: 'SHORT', value: 5 }));

    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
  });

  it('a position in a disabled pair can be closed', async () => {
    const trader = await service.trader();

    const reply = await trader.post(ORDERS, { trade_pair: 'PAXGUSDC', order_type: 'FLAT' });

    expect(reply.body.error?.code).not.to.equal('V1_RULE_VIOLATED');
  });

  for (const kind of ['status_500', 'hang', 'html_200'] as const) {
    it(`rules that cannot be read do not block an order: ${kind}`, async () => {
      const trader = await service.trader();
      service.miner.faults.add({ kind, route: '/validator/' });

      const started = performance.now();
      const reply = await trader.post(ORDERS, market({ leverage: 0.2 }));
      const took = performance.now() - started;

      service.miner.faults.clear();
      expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
      expect(took).to.be.below(1_000);
    });
  }

  it('orders of one trader share the reads', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market({ leverage: 0.01 }));
    const counted = countCalls(service.miner);

    const started = performance.now();
    for (let n = 0; n < 20; n += 1) await trader.post(ORDERS, market({ leverage: 0.01 }));
    const took = performance.now() - started;

    counted.stop();
    const venueReads = counted.calls.filter((call) => !call.includes('submit-order'));
    expect(venueReads.length).to.be.at.most(2 + took / 1_000);
    console.log(`        20 orders in ${Math.round(took)} ms with ${venueReads.length} reads`);
  });

  it('a recently listed pair is fetched again before an order is rejected', async () => {
    const trader = await service.trader();
    await control(service, 'price', { pair: 'BTCUSDC', price: 100_000 });
    const counted = countCalls(service.miner);

    await trader.post(ORDERS, market({ trade_pair: 'JUSTNOW' }));

    counted.stop();
    expect(counted.calls.filter((call) => call.includes('/trade-pairs'))).to.have.length.at.least(1);
  });
});
