import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { market } from '../support/orders.ts';
import { startService, type TestService } from '../support/service.ts';

const JOBS = 20;
const WALLETS = 5; // of each, eight orders have a job at a time
const LIMIT = { pair: 'BTC', side: 'long', size: '0.001', order_type: 'limit', price: 50_000 };

describe('orders at the network while many at the exchange wait for its budget', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService({ settings: { TRADING_CONCURRENCY: String(JOBS) } });
  });
  after(() => service.stop());

  it('find a job as in quiet', async () => {
    const trader = await service.trader();
    const wallets = await Promise.all(Array.from({ length: WALLETS }, service.wallet));
    const place = async () => {
      const startedAt = performance.now();
      const { status } = await trader.post('/v1/orders/netvenue', market({ leverage: 0.01 }));
      expect(status).to.equal(200);
      return performance.now() - startedAt;
    };
    const longestOf = async (count: number) => {
      const took: number[] = [];
      for (let n = 0; n < count; n += 1) took.push(await place());
      return Math.max(...took);
    };
    await wallets[0]?.post('/v1/orders/exvenue', LIMIT);
    const quiet = await longestOf(10);
    await service.db.query(sql.unsafe`
      update request_budgets set tokens = 0, counted_at = clock_timestamp() + interval '30 seconds'`);

    const waiting = wallets.flatMap(({ post }) =>
      Array.from({ length: 16 }, () => post('/v1/orders/exvenue', LIMIT, { prefer: 'wait=0' })),
    );
    expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).to.deep.equal(new Set([202]));
    await sleep(500);
    const beside = await longestOf(10);

    console.log(`    ${beside.toFixed(0)} ms, ${quiet.toFixed(0)} ms in quiet`);
    expect(beside).to.be.below(Math.max(4 * quiet, 1_500));
  });
});
