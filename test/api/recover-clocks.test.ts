import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { market } from '../support/orders.ts';
import { loseSince, recover } from '../support/restored.ts';
import { startService, type TestService } from '../support/service.ts';

const LATER = { headers: { Prefer: 'respond-async' } };

describe('a database that is recovered, of venues whose clocks are behind its own', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('keeps the orders that they date before the backup, so that no retry places them twice', async () => {
    const [trader, wallet] = [await service.trader(), await service.wallet()];
    const backedUpAt = new Date().toISOString();
    const order = { ...market(), order_uuid: randomUUID() };
    const bought = { pair: 'BTC', side: 'long', order_type: 'market', size: '0.01', client_order_id: randomUUID() };
    await trader.post('/v1/orders/netvenue', order);
    await wallet.post('/v1/orders/exvenue', bought);
    await service.stopWorkers();
    await loseSince(service, backedUpAt);
    const placed = () => service.miner.ledger.entries().length + service.exchange.ledger.entries().length;
    const before = placed();

    const stdout = await recover(service, new Date().toISOString()); // as if both venues were that far behind
    expect(stdout.match(/^order {2}/gm) ?? []).to.have.length(2);
    const retried = [
      await trader.post('/v1/orders/netvenue', order, LATER),
      await wallet.post('/v1/orders/exvenue', bought, LATER),
    ];
    expect(retried.map(({ status }) => status)).to.deep.equal([202, 202]);
    await service.startWorker();
    const again = [await trader.post('/v1/orders/netvenue', order), await wallet.post('/v1/orders/exvenue', bought)];

    expect(again.map(({ status }) => status)).to.deep.equal([200, 200]);
    expect(placed(), 'orders at the venues').to.equal(before);
  });
});
