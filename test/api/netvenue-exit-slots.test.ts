import { expect } from 'chai';
import { limit, market } from '../support/orders.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const ORDERS = '/v1/orders/netvenue';
const WORKS_MS = 4_000;
const THREADS = 4; // one is for look-ups, two are for exits

describe('a miner that works on as many entries as it may', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService({
      upstream: { processingMs: WORKS_MS, threads: THREADS },
      settings: { NETVENUE_MINER_THREADS: String(THREADS), NETVENUE_PATIENCE_MS: '20000', ORDER_DEADLINE_MS: '60000' },
    });
  });
  after(() => service.stop());

  it('takes what reduces a risk at once: a cancellation, and an order that closes a position', async () => {
    const traders = await Promise.all(Array.from({ length: 6 }, () => service.trader()));
    const [one, other] = [await service.trader(), await service.trader()];
    const resting = await one.post(ORDERS, limit());
    await other.post(ORDERS, market());
    const entries = await Promise.all(traders.map((trader) => trader.post(ORDERS, market(), { prefer: 'wait=0' })));
    await until('one of them is at the miner', async () => {
      const bodies = await Promise.all(
        entries.map(async (entry, n) => (await traders[n]?.get(`/v1/intents/${entry.headers['intent-id']}`))?.body),
      );
      return bodies.some(({ state }) => state === 'running') || null;
    });
    const from = performance.now();

    const replies = await Promise.all([
      one.delete(`${ORDERS}/${resting.body.order_uuid}?trade_pair=BTCUSDC`),
      other.post(ORDERS, { trade_pair: 'BTCUSDC', order_type: 'FLAT' }),
    ]);

    expect(replies.map(({ status, body }) => [status, body.error])).to.deep.equal([
      [200, undefined],
      [200, undefined],
    ]);
    expect(performance.now() - from).to.be.below(1.8 * WORKS_MS);
  });
});
