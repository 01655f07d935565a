import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { effectsOf, market } from '../support/orders.ts';
import { startService, type TestService } from '../support/service.ts';

const LOCKED_MS = 12_000;

/** A table that something else holds, such as a change of the schema: the queue's own statements need none of ours. */
describe('a table that tasks cannot use for a while', function () {
  this.timeout(90_000);
  let service: TestService;
  let session: pg.Client;
  before(async () => {
    service = await startService({ settings: { ORDER_DEADLINE_MS: '60000' } });
    session = new pg.Client({ connectionString: String(service.settings.DATABASE_URL) });
    await session.connect();
  });
  after(async () => {
    await session.end();
    await service.stop();
  });

  it('costs an order and the exit behind it its own length, and no more', async () => {
    const trader = await service.trader();
    await session.query('begin; lock table upstream_slots in access exclusive mode');
    const accepted = await trader.post('/v1/orders/netvenue', market(), { prefer: 'wait=0' });
    await pause(LOCKED_MS);
    await session.query('commit');

    const freedAt = performance.now();
    const closed = await trader.post('/v1/orders/netvenue/close', { trade_pair: 'BTCUSDC' });
    const tookMs = performance.now() - freedAt;
    const order = await trader.poll(accepted);

    expect(closed.status, JSON.stringify(closed.body)).to.equal(200);
    expect(order).to.include({ status: 'completed' });
    expect(effectsOf(service, trader)).to.have.length(2);
    expect(tookMs).to.be.below(7_000);
  });
});
