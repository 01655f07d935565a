import { expect } from 'chai';
import { startService, type TestService } from '../support/service.ts';

describe('submitNetvenueOrder', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  it('places a market order and answers what was executed', async () => {
    const trader = await service.trader();

    const reply = await trader.post('/v1/orders/netvenue', { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.1 });

    expect(reply.status).to.equal(200);
    expect(reply.body).to.include({ success: true, status: 'accepted' });
    expect(service.miner.ledger.entries().filter(({ key }) => key === reply.body.order_uuid)).to.have.length(1);
  });

  it('looks before sending again when the miner falls silent', async () => {
    const trader = await service.trader();
    service.miner.faults.add({ kind: 'accept_then_drop', route: '/miner/api/submit-order', times: 1 });

    const reply = await trader.post('/v1/orders/netvenue', { trade_pair: 'ETHUSDC', order_type: 'LONG', leverage: 0.1 }, { prefer: 'wait=0' });
    const order = await trader.poll(reply);

    expect(reply.status).to.equal(202);
    expect(order).to.include({ status: 'completed', lifecycle: 'filled' });
    expect(service.miner.ledger.entries().filter(({ key }) => key === order.order_uuid)).to.have.length(1);
  });
});
