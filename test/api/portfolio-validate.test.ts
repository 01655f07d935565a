import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Caller } from '../support/caller.ts';
import { market } from '../support/orders.ts';
import { linkedWallet, move, SHORT_TIMEOUTS, STALE_MS } from '../support/portfolio.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

describe('validateTrade', () => {
  let service: TestService;
  let fresh: Caller;
  let wallet: Caller;
  before(async () => {
    service = await startService({ settings: SHORT_TIMEOUTS });
    fresh = await service.trader();
    wallet = await service.wallet();
  });
  after(() => service.stop());

  const check = async (trader: Caller, more: object) => {
    const trade = { pair: 'BTC-USDC', side: 'long', size: '0.01', order_type: 'market', ...more };
    const reply = await trader.post('/v1/rules/validate', trade);
    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    const rules = reply.body.violations.map(({ rule }: { rule: string }) => rule);
    expect(reply.body.valid).to.equal(rules.length === 0);
    return rules;
  };

  for (const [more, violated] of [
    [{}, []],
    [{ pair: 'BTCUSDC' }, []],
    [{ pair: 'BTC' }, []],
    [{ size: 500, size_in_usd: true }, []],
    [{ order_type: 'limit', price: '90000' }, []],
    [{ venue: 'netvenue' }, []],
    [{ pair: 'NOSUCH' }, ['pair.unknown']],
    [{ pair: 'PAXG-USDC', size: 100, size_in_usd: true }, ['pair.allowed']],
    [{ pair: 'BTC/USD', size: 100, size_in_usd: true }, ['pair.allowed']],
    [{ pair: 'EURUSD', size: 100, size_in_usd: true }, ['pair.asset_class']],
    [{ size: 9.99, size_in_usd: true }, ['order.minimum']],
    [{ size: '0.00009' }, ['order.minimum']],
    [{ size: 15_000, size_in_usd: true }, []],
    [
      { size: 15_001, size_in_usd: true },
      ['leverage.pair_max', 'leverage.class_max', 'leverage.portfolio_max', 'balance.insufficient'],
    ],
    [{ pair: 'ADA-USDC', size: 5_001, size_in_usd: true }, ['leverage.pair_max']],
  ] as const) {
    it(`of a subaccount: ${JSON.stringify(more)} violates ${violated.join(', ') || 'nothing'}`, async () => {
      expect(await check(fresh, more)).to.deep.equal(violated);
    });
  }

  it('names a pair as the rules do', async () => {
    const trade = { pair: 'ADAUSDC', side: 'long', size: 5_001, size_in_usd: true, order_type: 'market' };

    const { body } = await fresh.post('/v1/rules/validate', trade);

    expect(body.violations[0].message).to.match(/^ADA-USDC would exceed/);
  });

  for (const [more, violated] of [
    [{}, []],
    [{ venue: 'exvenue' }, []],
    [{ pair: 'xyz:TSLA', size: 1 }, ['balance.insufficient']], // each dex has its own money
    [{ pair: 'NOSUCH' }, ['pair.unknown']],
    [{ pair: 'PURR/USDC', size: 100 }, ['pair.unknown']], // a spot pair
    [{ pair: 'MATIC' }, ['pair.allowed']],
    [{ size: '0.000001' }, ['size.lot']],
    [{ size: '0.00009' }, ['order.minimum']],
    [{ pair: 'ETH', size: 1, leverage: 26 }, ['leverage.order_max']],
    [{ size: 2, leverage: 1 }, ['balance.insufficient']],
    [{ size: 2, leverage: 10 }, []],
  ] as const) {
    it(`of a wallet: ${JSON.stringify(more)} violates ${violated.join(', ') || 'nothing'}`, async () => {
      expect(await check(wallet, more)).to.deep.equal(violated);
    });
  }

  for (const more of [
    { size: 10, size_in_usd: true },
    { size: 10.4, size_in_usd: true },
    { size: 10.6, size_in_usd: true },
    { side: 'short', size: 10.4, size_in_usd: true },
    { side: 'short', size: 11, size_in_usd: true },
    { side: 'short', size: '0.00104' },
    { pair: 'ETH', order_type: 'limit', price: '2500.04', size: 10, size_in_usd: true },
  ]) {
    it(`says of a small order of a wallet what its placement says: ${JSON.stringify(more)}`, async () => {
      const trader = await service.wallet();
      const order = { pair: 'BTC', side: 'long', order_type: 'market', ...more };

      const violated = await check(trader, order);
      const placed = await trader.post('/v1/orders/exvenue', order);

      const reason = placed.status === 200 ? null : placed.body.error.reason;
      expect(reason === 'below_minimum', JSON.stringify(placed.body)).to.equal(violated.includes('order.minimum'));
      if (violated.length === 0) expect(placed.status).to.equal(200);
    });
  }

  it("needs as much margin as the wallet's own leverage in the asset asks for", async () => {
    const trader = await service.wallet();
    const order = { pair: 'ETH', side: 'long', size: '0.01', order_type: 'limit', price: '2000', leverage: 2 };
    const before = await check(trader, { pair: 'ETH', size: 400_000, size_in_usd: true });
    const placed = await trader.post('/v1/orders/exvenue', order);

    const after = await check(trader, { pair: 'ETH', size: 400_000, size_in_usd: true });

    expect(placed.body.status, JSON.stringify(placed.body)).to.equal('open');
    expect([before, after]).to.deep.equal([[], ['balance.insufficient']]);
  });

  it('counts margin that a wallet may trade with although it cannot withdraw it', async () => {
    const trader = await service.wallet();
    const order = { pair: 'BTC', side: 'long', size: '10', order_type: 'market', leverage: 20 };
    const opened = await trader.post('/v1/orders/exvenue', order);
    const added = { ...order, size: '4' };

    const violated = await check(trader, added);
    const placed = await trader.post('/v1/orders/exvenue', added);

    expect(opened.body.status, JSON.stringify(opened.body)).to.equal('filled');
    expect(placed.body.status, JSON.stringify(placed.body)).to.equal('filled');
    expect(violated).to.deep.equal([]);
  });

  it('reports an account that may not trade, and an exhausted drawdown', async () => {
    const [eliminated, fallen] = [await service.trader(), await service.trader()];
    await move(service, eliminated.traderId, { elimination: 'LIQUIDATED' });
    await move(service, fallen.traderId, { closes: { dayOpen: 1.06, last: 0.95, highest: 1 } });

    expect(await check(eliminated, {})).to.deep.equal(['account.status']);
    expect(await check(fallen, {})).to.deep.equal(['drawdown.intraday', 'drawdown.eod']);
  });

  it('reports the account of a linked wallet, and pairs the network does not mirror', async () => {
    const trader = await linkedWallet(service);
    expect(await check(trader, {})).to.deep.equal([]);
    expect(await check(trader, { pair: 'LINK', size: 10 })).to.deep.equal(['pair.unknown']);
    await move(service, trader.traderId, { elimination: 'LIQUIDATED' });
    await sleep(STALE_MS);

    expect(await check(trader, {})).to.deep.equal(['account.status']);
  });

  it('counts open positions towards the caps, and never what reduces them', async () => {
    const trader = await service.trader();
    await trader.post('/v1/orders/netvenue', market({ leverage: 1 }));
    await sleep(STALE_MS);

    expect(await check(trader, { size: 4_999, size_in_usd: true })).to.deep.equal([]);
    expect(await check(trader, { size: 5_001, size_in_usd: true })).to.include('leverage.pair_max');
    expect(await check(trader, { pair: 'ETH', size: 5_001, size_in_usd: true })).to.include('leverage.class_max');
    expect(await check(trader, { side: 'short', size: 5, size_in_usd: true })).to.deep.equal([]);
  });

  it('rejects a venue other than the trader’s', async () => {
    const reply = await fresh.post('/v1/rules/validate', {
      pair: 'BTC',
      side: 'long',
      size: 1,
      order_type: 'market',
      venue: 'exvenue',
    });

    expectProblem(reply, 'INVALID_REQUEST');
    expect(reply.body.error.fields[0].loc).to.deep.equal(['body', 'venue']);
  });

  it('reports a missing price instead of accepting an unchecked trade', async () => {
    const forex = await service.partner();
    const made = await forex.post('/v1/register/netvenue', { asset_class: 'forex', account_size: 10_000 });
    const headers = { 'Trader-ID': String(made.body.subaccount.subaccount_id) };
    const ask = (more: object) =>
      forex.post(
        '/v1/rules/validate',
        { pair: 'EURUSD', side: 'long', size: '0.5', order_type: 'market', ...more },
        { headers },
      );

    expectProblem(await ask({}), 'V1_NO_PRICE', { retryable: false });
    expect((await ask({ order_type: 'limit', price: '1.1' })).body).to.deep.equal({ valid: true, violations: [] });
    expect((await ask({ size: 500, size_in_usd: true })).body.valid).to.equal(true);
    expect((await ask({ pair: 'USDJPY', size: '2' })).body.violations[0].rule).to.equal('leverage.pair_max');
    expect((await ask({ pair: 'USDJPY', size: '0.00001' })).body.violations[0].rule).to.equal('order.minimum');
  });

  it('uses what the network shows of a pair, and reports what needs no price without one', async () => {
    const forex = await service.partner();
    const made = await forex.post('/v1/register/netvenue', { asset_class: 'forex', account_size: 10_000 });
    const headers = { 'Trader-ID': String(made.body.subaccount.subaccount_id) };
    const lots = (size: string) =>
      forex.post('/v1/rules/validate', { pair: 'EURUSD', side: 'long', size, order_type: 'market' }, { headers });

    const tooSmall = await lots('0.00001');
    const order = { trade_pair: 'EURUSD', order_type: 'LONG', execution_type: 'LIMIT', limit_price: 1, quantity: 0.01 };
    const resting = await forex.post('/v1/orders/netvenue', order, { headers });

    expect(resting.status).to.equal(200);
    expect(tooSmall.body.violations[0].rule).to.equal('order.minimum');
    expect((await lots('0.5')).body).to.deep.equal({ valid: true, violations: [] });
    expect((await lots('5')).body.violations[0].rule).to.equal('leverage.pair_max');
    expectProblem(await lots('0'), 'INVALID_REQUEST');
  });

  it('knows what a lot is worth from any pair of its base currency, also from orders of the past', async () => {
    const forex = await service.partner();
    const trader = async () => {
      const made = await forex.post('/v1/register/netvenue', { asset_class: 'forex', account_size: 10_000 });
      return { headers: { 'Trader-ID': String(made.body.subaccount.subaccount_id) } };
    };
    const validate = (pair: string, size: string, as: { headers: Record<string, string> }) =>
      forex.post('/v1/rules/validate', { pair, side: 'long', size, order_type: 'market' }, as);
    const order = { trade_pair: 'EURUSD', order_type: 'LONG', execution_type: 'LIMIT', limit_price: 1, quantity: 0.01 };
    const [holder, former] = [await trader(), await trader()];
    await forex.post('/v1/orders/netvenue', order, holder);
    const { body } = await forex.post('/v1/orders/netvenue', order, former);
    await forex.delete(`/v1/orders/netvenue/${body.order_uuid}?trade_pair=EURUSD`, former);

    for (const [pair, as] of [
      ['EURGBP', holder],
      ['EURUSD', former],
      ['EURGBP', former],
    ] as const) {
      expect((await validate(pair, '5', as)).body.violations?.[0]?.rule, pair).to.equal('leverage.pair_max');
      expect((await validate(pair, '0.05', as)).body, pair).to.deep.equal({ valid: true, violations: [] });
    }
    expectProblem(await validate('GBPUSD', '0.5', holder), 'V1_NO_PRICE', { retryable: false });
  });
});
