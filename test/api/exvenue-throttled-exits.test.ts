import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../support/processes.ts';
import { type Handle, startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const BUY = { pair: 'BTC', side: 'long', size: '0.001', order_type: 'market' };
const PRICES_FRESH_MS = 1_000;
const passOn: Handle = (_, forward) => forward();
/** The venue's pause after a 429, for which nothing but exits is sent. */
const PAUSE_MS = 10_000;

describe('an exchange that accepts no more requests for a while', function () {
  this.timeout(60_000);
  let proxy: VenueProxy;
  let service: TestService;
  before(async () => {
    proxy = await startProxy();
    service = await startService({ settings: { EXVENUE_URL: proxy.url } });
    proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });

  it('takes a stop-loss meanwhile, with the price that it needs', async () => {
    const [trader, reader] = [await service.wallet(), await service.wallet()];
    expect((await trader.post(ORDERS, BUY)).status).to.equal(200);
    proxy.handle = async (body, forward) => {
      if (body.type !== 'clearinghouseState') return forward();
      proxy.handle = passOn;
      return { status: 429, text: 'null' };
    };
    await sleep(PRICES_FRESH_MS);
    await reader.get('/v1/positions/exvenue');
    const startedAt = performance.now();

    const reply = await trader.post(`${ORDERS}/tp-sl`, { pair: 'BTC', stop_loss: 90_000 });

    expect(reply.status, JSON.stringify(reply.body)).to.equal(200);
    expect(performance.now() - startedAt).to.be.below(PAUSE_MS - 1_000);
  });

  it('does not keep a close waiting until the order before it, which it did not take, has expired: both are executed', async () => {
    const trader = await service.wallet();
    expect((await trader.post(ORDERS, BUY)).status).to.equal(200);
    proxy.handle = async (body, forward) => {
      if (body.action?.type !== 'order') return forward();
      proxy.handle = passOn;
      return { status: 429, text: 'null' };
    };
    const startedAt = performance.now();
    const entry = trader.post(ORDERS, BUY);
    await until('the pause', () => proxy.handle === passOn || null);

    const close = await trader.post(`${ORDERS}/close`, { pair: 'BTC' });

    expect(performance.now() - startedAt).to.be.below(PAUSE_MS + 2_000); // on its own an exit takes half of that: four calls
    expect((await entry).status).to.equal(200);
    expect(close.body).to.include({ status: 'filled', filled_size: '0.002' });
  });
});
