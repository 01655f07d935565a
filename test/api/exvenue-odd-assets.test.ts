import { expect } from 'chai';
import { type ExvenueUpstream, startExvenueUpstream } from '../../src/sandbox/exchange/index.ts';
import { expectProblem } from '../support/problem.ts';
import { jsonReply, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const order = (pair: string) => ({ pair, side: 'long', size: '0.1', order_type: 'market' });

describe('an exchange of which one asset cannot be read', () => {
  let exchange: ExvenueUpstream;
  let proxy: VenueProxy;
  let service: TestService;
  before(async () => {
    exchange = await startExvenueUpstream({ network: 'testnet', autoFund: '100000' });
    proxy = await startProxy();
    proxy.target = exchange.url;
    proxy.handle = async (body, forward) => {
      const reply = await forward();
      if (body.type !== 'meta' || body.dex || !reply) return reply;
      const meta = JSON.parse(reply.text);
      for (const asset of meta.universe) if (asset.name === 'ETH') delete asset.szDecimals;
      return jsonReply(meta);
    };
    service = await startService({ settings: { EXVENUE_URL: proxy.url, ORDER_DEADLINE_MS: '2000' } });
  });
  after(async () => {
    await service.stop();
    await proxy.close();
    await exchange.close();
  });

  it('takes orders of all others, lists these, and does not say of that one that there is no such pair', async () => {
    const trader = await service.wallet();

    const placed = await trader.post(ORDERS, order('SOL'));
    const closed = await trader.post(`${ORDERS}/close`, { pair: 'SOL' });
    const odd = await trader.post(ORDERS, order('ETH'));
    const pairs = await trader.get('/v1/rules/pairs');

    expect([placed.status, closed.status], JSON.stringify([placed.body, closed.body])).to.deep.equal([200, 200]);
    expectProblem(odd, 'VENUE_UNREACHABLE', { effect: 'none', retryable: true });
    expect(pairs.status).to.equal(200);
    expect(pairs.body.pairs).to.include('SOL-USDC').and.not.include('ETH-USDC');
  }).timeout(20_000);
});
