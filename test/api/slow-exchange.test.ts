import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { atPace } from '../chaos/load.ts';
import { market } from '../support/orders.ts';
import { startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const LIMIT = { pair: 'BTC', side: 'long', size: '0.001', order_type: 'limit', price: 50_000 };
const WALLETS = 8;
const PER_SECOND = 20;
const SLOW_MS = 900; // not silent: the exchange responds to everything

describe('orders at the network while the exchange is slow', function () {
  this.timeout(90_000);
  let delayMs = 0;
  let proxy: VenueProxy;
  let service: TestService;
  before(async () => {
    proxy = await startProxy((_body, forward) => sleep(delayMs).then(forward));
    service = await startService({ settings: { EXVENUE_URL: proxy.url, TRADING_CONCURRENCY: '20' } });
    proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });

  it('find a job beside many orders there', async () => {
    const trader = await service.trader();
    const wallets = await Promise.all(Array.from({ length: WALLETS }, service.wallet));
    const longestOf = async (count: number) => {
      let longest = 0;
      for (let n = 0; n < count; n += 1) {
        const startedAt = performance.now();
        const { status } = await trader.post('/v1/orders/netvenue', market({ leverage: 0.01 }));
        expect(status).to.equal(200);
        longest = Math.max(longest, performance.now() - startedAt);
        await sleep(200);
      }
      return longest;
    };
    const quiet = await longestOf(5);
    delayMs = SLOW_MS;
    let isOver = false;
    const flooding = atPace({ perSecond: PER_SECOND, goOn: () => !isOver }, async (n) =>
      wallets[n % WALLETS]?.post('/v1/orders/exvenue', LIMIT, { prefer: 'wait=0' }).catch(() => null),
    );
    await sleep(3_000);

    const beside = await longestOf(10).finally(() => (isOver = true));
    delayMs = 0;
    await flooding;

    console.log(`    ${beside.toFixed(0)} ms, ${quiet.toFixed(0)} ms in quiet`);
    expect(beside).to.be.below(Math.max(4 * quiet, 1_500));
  });
});
