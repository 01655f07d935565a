import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { market } from '../support/orders.ts';
import { startService, type TestService } from '../support/service.ts';

describe('orders that can only reduce a position', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('are taken before those that open one, as closes are, however many of these were there first', async () => {
    const [first, second] = [await service.trader(), await service.trader()];
    const [wallet, other] = [await service.wallet(), await service.wallet()];
    await service.stopWorkers();
    const now = { prefer: 'wait=0' };
    const order = { pair: 'BTC', side: 'long', size: '0.01', order_type: 'market' };
    const entries = [
      await first.post('/v1/orders/netvenue', market(), now),
      await wallet.post('/v1/orders/exvenue', order, now),
    ];
    const exits = [
      await second.post('/v1/orders/netvenue', { trade_pair: 'BTCUSDC', order_type: 'FLAT' }, now),
      await other.post('/v1/orders/exvenue', { ...order, side: 'short', reduce_only: true }, now),
    ];

    const taken = await service.db.anyFirst(sql.type(z.object({ id: z.string() }))`
      select payload ->> 'intent_id' as id
      from queue_jobs
      where task in ('network/place', 'exchange/place')
      order by priority, run_at, id`);

    const idOf = ({ body }: { body: Record<string, unknown> }) => String(body.order_uuid ?? body.order_id);
    expect(taken.slice(0, 2)).to.have.members(exits.map(idOf));
    expect(taken.slice(2)).to.have.members(entries.map(idOf));
  });
});
