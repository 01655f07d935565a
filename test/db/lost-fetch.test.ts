import { expect } from 'chai';
import { type LostResponses, loseResponses } from '../support/lost-response.ts';
import { effectsOf, market } from '../support/orders.ts';
import { startService } from '../support/service.ts';

describe('a worker whose connection breaks while it fetches a job', () => {
  let fetches: LostResponses;
  before(() => {
    fetches = loseResponses('get_job');
  });
  after(() => fetches.restore());

  it('gives the job back, and executes the order', async () => {
    const service = await startService();
    const trader = await service.trader();
    fetches.toLose = 1;

    const beganAt = performance.now();
    const order = await trader.post('/v1/orders/netvenue', market());
    const tookMs = performance.now() - beganAt;
    const effects = effectsOf(service, trader);
    await service.stop();

    expect(fetches.lost).to.equal(1);
    expect(order.status, JSON.stringify(order.body)).to.equal(200);
    expect(tookMs).to.be.below(5_000);
    expect(effects).to.have.length(1);
  });
});
