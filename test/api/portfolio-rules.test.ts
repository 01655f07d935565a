import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { market } from '../support/orders.ts';
import { linkedWallet, SHORT_TIMEOUTS, STALE_MS } from '../support/portfolio.ts';
import { startService, type TestService } from '../support/service.ts';

type Rule = { rule_id: string; current_value: string | null; limit: string };
const byId = (body: Rule[]) => Object.fromEntries(body.map((rule) => [rule.rule_id, rule]));

describe('the rules', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ settings: SHORT_TIMEOUTS });
  });
  after(() => service.stop());

  it('listRules of a subaccount returns its limits and how much of each is used', async () => {
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

  it('listRules of an unlinked wallet returns those of the exchange', async () => {
    const trader = await service.wallet();

    const rules = byId((await trader.get('/v1/rules')).body);

    expect(rules['order.minimum']).to.include({ limit: '10' });
    expect(rules['pair.allowed::BTCUSDC']).to.include({ limit: 'allowed' });
    expect(rules).not.to.have.property('drawdown.intraday');
  });

  it('listSupportedPairs returns those of the account’s class, and marks closed ones', async () => {
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

  it('listSupportedPairs of a linked wallet returns what the exchange lists; of another one the exchange’s own', async () => {
    const [linked, other] = [await linkedWallet(service), await service.wallet()];

    const [its, fixture] = [await linked.get('/v1/rules/pairs'), await other.get('/v1/rules/pairs')];

    expect(its.body.pairs).to.include.members(['BTC-USDC', 'GOLD-USDC']);
    expect(its.body.pairs).not.to.include.members(['EUR-USD']);
    expect(fixture.body.pairs).to.include.members(['BTC-USDC', 'LINK-USDC', 'xyz:TSLA-USDC']);
    expect(fixture.body.details).to.deep.include({
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
