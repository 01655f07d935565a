import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Reply } from '../support/caller.ts';
import { limit, market, SUBMIT } from '../support/orders.ts';
import { startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const EXCHANGE = '/v1/orders/exvenue';
const NETWORK = '/v1/orders/netvenue';
const BUY = { pair: 'BTC', side: 'long', size: '0.001', order_type: 'market' };
const REST = { ...BUY, order_type: 'limit', price: 50_000 };
const MANY = 20; // eight orders of each are more than a worker has jobs at once
const EVERY_MS = 25;
const SOON_MS = 3_000; // without turns: 9 s and more, or never
const never = () => new Promise<null>(() => {});

describe('orders while a venue is silent', function () {
  this.timeout(90_000);
  let proxy: VenueProxy;
  let service: TestService;
  beforeEach(async () => {
    proxy = await startProxy();
    service = await startService({
      settings: { EXVENUE_URL: proxy.url, NETVENUE_PATIENCE_MS: '12000', NETVENUE_IN_FLIGHT_MS: '30000' },
    });
    proxy.target = service.exchange.url;
  });
  afterEach(async () => {
    await service.stop();
    await proxy.close();
  });

  const many = <Of>(make: () => Promise<Of>): Promise<Of[]> => Promise.all(Array.from({ length: MANY }, make));

  /** Submits orders without waiting for them, until it is stopped. */
  function streaming(submit: (n: number) => Promise<unknown>, everyMs = EVERY_MS): { stop(): Promise<void> } {
    let n = 0;
    const under = new Set<Promise<unknown>>();
    const timer = setInterval(() => {
      const submitted = submit(n++).finally(() => under.delete(submitted));
      under.add(submitted);
    }, everyMs);
    return {
      async stop() {
        clearInterval(timer);
        await Promise.all(under);
      },
    };
  }

  /** Places orders one after another. The longest time until one was executed, in milliseconds. */
  async function longestOf(count: number, place: () => Promise<Pick<Reply, 'status' | 'body'>>): Promise<number> {
    let longest = 0;
    for (let n = 0; n < count; n += 1) {
      const startedAt = performance.now();
      const { status, body } = await place();
      expect(status, JSON.stringify(body)).to.equal(200);
      longest = Math.max(longest, performance.now() - startedAt);
      await sleep(400);
    }
    return longest;
  }

  for (const [name, order] of Object.entries({ market: BUY, limit: REST }))
    it(`at the network do not wait for ${name} orders at a silent exchange`, async () => {
      const [trader, wallets] = [await service.trader(), await many(service.wallet)];
      await wallets[0]?.post(EXCHANGE, BUY);
      proxy.handle = never;
      const flood = streaming((n) => wallets[n % MANY]?.post(EXCHANGE, order, { prefer: 'wait=0' }) ?? never());
      await sleep(2_000);

      const longest = await longestOf(10, () => trader.post(NETWORK, market({ leverage: 0.01 })));
      await flood.stop();

      expect(longest).to.be.below(SOON_MS);
    });

  it('at the exchange that end a risk do not wait for entries there that have no response', async () => {
    const [trader, wallets] = [await service.wallet(), await many(service.wallet)];
    await wallets[0]?.post(EXCHANGE, BUY);
    for (let n = 0; n < 12; n += 1) expect((await trader.post(EXCHANGE, REST)).status).to.equal(200);
    proxy.handle = ({ action }, forward) => (action?.type === 'order' ? never() : forward());
    const submit = (n: number) => wallets[n % MANY]?.post(EXCHANGE, REST, { prefer: 'wait=0' }) ?? never();
    const flood = streaming(submit, 4 * EVERY_MS); // enough to hold all that entries may have
    await sleep(4_000);

    const longest = await longestOf(10, () => trader.delete(EXCHANGE));
    await flood.stop();

    expect(longest).to.be.below(SOON_MS);
  });

  it('at the exchange do not wait for closes and entries at a silent network', async () => {
    const [wallet, traders] = [await service.wallet(), await many(service.trader)];
    await wallet.post(EXCHANGE, BUY);
    await Promise.all(traders.map((trader) => trader.post(NETWORK, limit())));
    service.miner.faults.add({ kind: 'hang' });
    const flood = streaming((n) => {
      const pair = ['BTCUSDC', 'ETHUSDC', 'SOLUSDC', 'XRPUSDC', 'DOGEUSDC', 'ADAUSDC', 'EURUSD', 'GBPUSD'][
        Math.floor(n / MANY) % 8
      ];
      return traders[n % MANY]?.post(`${NETWORK}/close`, { trade_pair: pair }, { prefer: 'wait=0' }) ?? never();
    });
    await sleep(2_000);

    const longest = await longestOf(10, () => wallet.post(EXCHANGE, BUY));
    await flood.stop();

    expect(longest).to.be.below(SOON_MS);
  });

  it('at the exchange do not wait for entries at silent miners that have more slots than a worker has jobs', async () => {
    await service.stop();
    service = await startService({
      upstream: { threads: 60 },
      settings: { TRADING_CONCURRENCY: '20', NETVENUE_MINER_THREADS: '60', NETVENUE_PATIENCE_MS: '12000' },
    });
    const [wallet, traders] = [await service.wallet(), await many(service.trader)];
    await wallet.post(EXCHANGE, BUY);
    service.miner.faults.add({ kind: 'hang', route: SUBMIT });
    const place = (n: number) => traders[n % MANY]?.post(NETWORK, limit(), { prefer: 'wait=0' }) ?? never();
    await Promise.all(Array.from({ length: 2 * MANY }, (_, n) => place(n)));
    await sleep(1_500);

    const longest = await longestOf(5, () => wallet.post(EXCHANGE, BUY));

    expect(longest).to.be.below(SOON_MS);
  });
});
