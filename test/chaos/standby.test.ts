import { expect } from 'chai';
import { failOverUnderLoad, failOverVerdict } from './scenes/standby.ts';
import { broken, shown } from './verdicts.ts';

const ORDERS = 20; // executed before and after

describe('a primary that is lost permanently under load, and its synchronous standby promoted', function () {
  this.timeout(120_000);

  it('loses no accepted order, duplicates none, and the service is back within 30 s', async () => {
    const failedOver = await failOverUnderLoad({
      seed: 1,
      perSecond: 10,
      ordersBefore: ORDERS,
      ordersAfter: ORDERS,
      workers: 2,
      webs: 2,
    });

    const verdict = failOverVerdict(failedOver);
    console.log(`      ${shown(verdict)}`);
    expect(broken([verdict])).to.deep.equal([]);
    expect(failedOver.taken).to.be.at.least(2 * ORDERS);
  });
});
