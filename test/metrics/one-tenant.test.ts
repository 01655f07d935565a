import { expect } from 'chai';
import { caller } from '../support/caller.ts';
import { market } from '../support/orders.ts';
import { readScrape } from '../support/scrape.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const SUBACCOUNTS = 16;

describe('the metrics while one tenant sends more than its turns at the miner take', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService({
      upstream: { processingMs: 100, threads: 4 },
      settings: {
        NETVENUE_MINER_THREADS: '4',
        NETVENUE_EXIT_SLOTS: '0',
        NETVENUE_SIGNALS_PER_MIN: '10000',
        ORDER_DEADLINE_MS: '4000',
        NETVENUE_PATIENCE_MS: '5000',
      },
    });
  });
  after(() => service.stop());

  it('show that it fails for one of two, as the alerts need to tell it from a fault', async () => {
    const [flooding, other] = [await service.trader(), await service.trader()];
    const pairs = (await flooding.get('/v1/rules/pairs')).body.details.map(
      (each: { trade_pair: string }) => each.trade_pair,
    );
    const account = { asset_class: 'crypto', account_size: 1_000 };
    const registered = await Promise.all(
      Array.from({ length: SUBACCOUNTS }, () => flooding.post('/v1/register/netvenue', account)),
    );
    const traders = registered.map(({ body }) =>
      caller(service.url, flooding.key, { 'Trader-ID': String(body.subaccount.subaccount_id) }),
    );
    const statuses: number[] = [];
    for (let n = 0; n < 20 && !statuses.includes(503); n++)
      await Promise.all(
        traders.map(async (trader) => {
          const order = market({ trade_pair: pairs[n % pairs.length], leverage: 0.001 });
          statuses.push((await trader.post(ORDERS, order, { prefer: 'wait=0' })).status);
        }),
      );
    const order = market({ trade_pair: pairs[0], leverage: 0.001 });
    const { status } = await other.post(ORDERS, order, { prefer: 'wait=0' });

    const shown = readScrape(await service.runtime.metrics.scrape());
    const of = (outcome: string) => shown.value('tps_tenants', { of: 'requests', outcome });
    expect([status, statuses.includes(503)], String([...new Set(statuses)])).to.deep.equal([202, true]);
    expect([of('failing'), of('unharmed')]).to.deep.equal([1, 1]);
    expect(shown.text, 'no owner is named').not.to.match(/ptn_/);
  });
});
