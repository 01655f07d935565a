import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Caller } from '../support/caller.ts';
import { control, market } from '../support/orders.ts';
import { countCalls, IMPATIENT, linkedWallet, move, STALE_MS } from '../support/portfolio.ts';
import { expectProblem } from '../support/problem.ts';
import { startService, type TestService } from '../support/service.ts';

type Rule = { rule_id: string; current_value: string | null; limit: string };
const byId = (body: Rule[]) => Object.fromEntries(body.map((rule) => [rule.rule_id, rule]));

describe('the rules', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: IMPATIENT });
  });
  after(() => service.stop());

  it('listRules of a subaccount tell its limits and how it stands to them', async () => {
    const trader = await service.trader();
    await trader.post('/v1/orders/netvenue', market({ leverage: 1 }));
    await sleep(STALE_MS);

    const { status, body } = await trader.get('/v1/rules');

    const rules = byId(body);
    expect(status).to.equal(200);
    expect(rules['leverage.portfolio_max']).to.include({ current_value: '1', limit: '1.5' });
    expect(rules['leverage.class_max::crypto']).to.include({ limit: '15000' });
    expect(rules['drawdown.intraday']).to.include({ current_value: '0', limit: '5' });
    expect(rules['challenge.profit_target']).to.include({ current_value: '0', limit: '10' });
    expect(rules['order_frequency.cooldown']).to.include({ limit: '5' });
    expect(rules['pair.allowed::BTCUSDC']).to.include({ current_value: 'allowed' });
    expect(rules['leverage.pair_max::ADAUSDC']).to.include({ limit: '0.5' });
    expect(rules).not.to.have.any.keys('pair.allowed::EURUSD', 'pair.allowed::PAXGUSDC');
  });

  it('listRules of a wallet nobody follows are the exchange’s', async () => {
    const trader = await service.wallet();

    const rules = byId((await trader.get('/v1/rules')).body);

    expect(rules['order.minimum']).to.include({ limit: '10' });
    expect(rules['pair.allowed::BTCUSDC']).to.include({ limit: 'allowed' });
    expect(rules).not.to.have.property('drawdown.intraday');
  });

  it('listSupportedPairs are those of the account’s class, closed ones apart', async () => {
    const trader = await service.trader();

    const { body } = await trader.get('/v1/rules/pairs');

    expect(body.venue).to.equal('netvenue');
    expect(body.pairs).to.deep.equal([...body.pairs].sort());
    expect(body.pairs).to.include.members(['BTC-USDC', 'kPEPE-USDC']);
    expect(body.pairs).not.to.include.members(['EUR-USD']);
    expect(body.pairs).not.to.include.members(['PAXG-USDC']);
    expect(body.details).to.deep.include({
      pair: 'BTC-USDC',
      trade_pair: 'BTCUSDC',
      category: 'crypto',
      source: 'hyperliquid',
      state: 'allowed',
      max_leverage: 1.5,
      ex_coin: 'BTC',
    });
    const states = Object.fromEntries(
      body.details.map((detail: Record<string, string>) => [detail.trade_pair, detail.state]),
    );
    expect(states).to.include({ BTCUSD: 'reduce_only', PAXGUSDC: 'disabled' });
  });

  it('listSupportedPairs of a linked wallet are what the exchange lists; of another one the exchange’s own', async () => {
    const [linked, other] = [await linkedWallet(service), await service.wallet()];

    const [its, own] = [await linked.get('/v1/rules/pairs'), await other.get('/v1/rules/pairs')];

    expect(its.body.pairs).to.include.members(['BTC-USDC', 'GOLD-USDC']);
    expect(its.body.pairs).not.to.include.members(['EUR-USD']);
    expect(own.body.pairs).to.include.members(['BTC-USDC', 'LINK-USDC', 'xyz:TSLA-USDC']);
    expect(own.body.details).to.deep.include({
      pair: 'MATIC-USDC',
      trade_pair: 'MATIC',
      category: 'crypto',
      source: 'hyperliquid',
      state: 'disabled',
      max_leverage: 20,
      ex_coin: 'MATIC',
    });
  });
});

describe('validateTrade', () => {
  let service: TestService;
  let fresh: Caller;
  let wallet: Caller;
  before(async () => {
    service = await startService({ settings: IMPATIENT });
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
    it(`of a subaccount: ${JSON.stringify(more)} breaks ${violated.join(', ') || 'nothing'}`, async () => {
      expect(await check(fresh, more)).to.deep.equal(violated);
    });
  }

  for (const [more, violated] of [
    [{}, []],
    [{ venue: 'exvenue' }, []],
    [{ pair: 'xyz:TSLA', size: 1 }, ['balance.insufficient']], // each dex has its own money
    [{ pair: 'NOSUCH' }, ['pair.unknown']],
    [{ pair: 'PURR/USDC', size: 100 }, []],
    [{ pair: 'MATIC' }, ['pair.allowed']],
    [{ size: '0.000001' }, ['size.lot']],
    [{ size: '0.00009' }, ['order.minimum']],
    [{ pair: 'ETH', size: 1, leverage: 26 }, ['leverage.order_max']],
    [{ size: 2, leverage: 1 }, ['balance.insufficient']],
    [{ size: 2, leverage: 10 }, []],
  ] as const) {
    it(`of a wallet: ${JSON.stringify(more)} breaks ${violated.join(', ') || 'nothing'}`, async () => {
      expect(await check(wallet, more)).to.deep.equal(violated);
    });
  }

  it('names an account that may not trade, and a drawdown that is used up', async () => {
    const [eliminated, fallen] = [await service.trader(), await service.trader()];
    await move(service, eliminated.traderId, { elimination: 'LIQUIDATED' });
    await move(service, fallen.traderId, { closes: { dayOpen: 1.06, last: 0.95, highest: 1 } });

    expect(await check(eliminated, {})).to.deep.equal(['account.status']);
    expect(await check(fallen, {})).to.deep.equal(['drawdown.intraday', 'drawdown.eod']);
  });

  it('names the account behind a linked wallet, and pairs the network does not mirror', async () => {
    const trader = await linkedWallet(service);
    expect(await check(trader, {})).to.deep.equal([]);
    expect(await check(trader, { pair: 'LINK', size: 10 })).to.deep.equal(['pair.unknown']);
    await move(service, trader.traderId, { elimination: 'LIQUIDATED' });
    await sleep(STALE_MS);

    expect(await check(trader, {})).to.deep.equal(['account.status']);
  });

  it('counts what is held towards the caps, and never what reduces it', async () => {
    const trader = await service.trader();
    await trader.post('/v1/orders/netvenue', market({ leverage: 1 }));
    await sleep(STALE_MS);

    expect(await check(trader, { size: 4_999, size_in_usd: true })).to.deep.equal([]);
    expect(await check(trader, { size: 5_001, size_in_usd: true })).to.include('leverage.pair_max');
    expect(await check(trader, { pair: 'ETH', size: 5_001, size_in_usd: true })).to.include('leverage.class_max');
    expect(await check(trader, { side: 'short', size: 5, size_in_usd: true })).to.deep.equal([]);
  });

  it('refuses another venue than the trader’s', async () => {
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

  it('says that it has no price rather than letting a trade through unjudged', async () => {
    const forex = await service.partner();
    const made = await forex.post('/v1/register/netvenue', { asset_class: 'forex', account_size: 10_000 });
    const headers = { 'Trader-ID': String(made.body.subaccount.subaccount_id) };
    const ask = (more: object) =>
      forex.post(
        '/v1/rules/validate',
        { pair: 'EURUSD', side: 'long', size: '0.5', order_type: 'market', ...more },
        { headers },
      );

    expectProblem(await ask({}), 'V1_NO_PRICE');
    expect((await ask({ order_type: 'limit', price: '1.1' })).body).to.deep.equal({ valid: true, violations: [] });
    expect((await ask({ size: 500, size_in_usd: true })).body.valid).to.equal(true);
    expect((await ask({ pair: 'USDJPY', size: '2' })).body.violations[0].rule).to.equal('leverage.pair_max');
    expect((await ask({ pair: 'USDJPY', size: '0.00001' })).body.violations[0].rule).to.equal('order.minimum');
  });
});

describe('orders are held to the certain rules before they are sent:', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: IMPATIENT });
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

  it('account.status of a wallet whose account is eliminated; closing goes on', async () => {
    const trader = await linkedWallet(service);
    const order = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
    expect((await trader.post('/v1/orders/exvenue', order)).status).to.equal(200);
    await move(service, trader.traderId, { elimination: 'LIQUIDATED' });
    await sleep(STALE_MS);

    const refused = await trader.post('/v1/orders/exvenue', order);
    const closed = await trader.post('/v1/orders/exvenue/close', { pair: 'BTC' });

    expectProblem(refused, 'V1_RULE_VIOLATED', { reason: 'account.status', effect: 'none' });
    expect(closed.status).to.equal(200);
  });

  it('a small order that reduces a position just opened goes through', async () => {
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
    it(`rules that cannot be looked up do not hold an order up: ${kind}`, async () => {
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

  it('orders of one trader share the look-ups', async () => {
    const trader = await service.trader();
    await trader.post(ORDERS, market({ leverage: 0.01 }));
    const counted = countCalls(service.miner);

    const started = performance.now();
    for (let n = 0; n < 20; n += 1) await trader.post(ORDERS, market({ leverage: 0.01 }));
    const took = performance.now() - started;

    counted.stop();
    const looks = counted.calls.filter((call) => !call.includes('submit-order'));
    expect(looks.length).to.be.at.most(2 + took / 1_000);
    console.log(`        20 orders in ${Math.round(took)} ms with ${looks.length} look-ups`);
  });

  it('a pair that was listed a moment ago is asked for anew before it is refused', async () => {
    const trader = await service.trader();
    await control(service, 'price', { pair: 'BTCUSDC', price: 100_000 });
    const counted = countCalls(service.miner);

    await trader.post(ORDERS, market({ trade_pair: 'JUSTNOW' }));

    counted.stop();
    expect(counted.calls.filter((call) => call.includes('/trade-pairs'))).to.have.length.at.least(1);
  });
});
