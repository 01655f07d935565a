import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { startProxy, type VenueProxy } from '../support/proxy.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/exvenue';
const PATIENCE_MS = 4_000;

describe('a close whose executions are shown late', function () {
  this.timeout(30_000);
  let service: TestService;
  let proxy: VenueProxy;
  let hangs = false;
  before(async () => {
    proxy = await startProxy(async ({ type, action }, forward) => {
      const reply = await forward();
      if ((action?.orders as { r: boolean }[] | undefined)?.some(({ r }) => r))
        hangs = true; // as: of our own client
      else if (hangs && type === 'userFillsByTime') {
        hangs = false;
        await sleep(PATIENCE_MS);
      }
      return reply;
    });
    service = await startService({
      settings: { EXVENUE_URL: proxy.url, EXVENUE_PATIENCE_MS: String(PATIENCE_MS), EXVENUE_EXPIRES_MS: '10000' },
    });
    proxy.target = service.exchange.url;
  });
  after(async () => {
    await service.stop();
    await proxy.close();
  });

  it('is not without a response, which the exchange has given: it is looked up at once', async () => {
    const trader = await service.wallet();
    await trader.post(ORDERS, { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' });
    const from = Date.now();

    const { body } = await trader.post(`${ORDERS}/close`, { pair: 'BTC' }, { prefer: 'wait=15' });

    expect(body, JSON.stringify(body)).to.include({ status: 'filled', filled_size: '0.01' });
    expect(Date.now() - from).to.be.below(PATIENCE_MS - 1_000);
  });
});
