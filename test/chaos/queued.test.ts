import { expect } from 'chai';
import { queueAtMiner, queueVerdict } from './scenes/queued.ts';
import { broken, shown } from './verdicts.ts';

describe('a miner that works on few requests at once', function () {
  this.timeout(120_000);

  it('never gets more requests than it can work on: every order is executed, and none is reported wrongly', async () => {
    const queue = {
      orders: 24,
      threads: 5,
      processingMs: [50, 1_000],
      workers: 2,
      kills: 1,
      settings: { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '1500', ORDER_DEADLINE_MS: '60000' },
      settleWithinMs: 60_000,
    } as const;

    const queued = await queueAtMiner(queue);

    const verdict = queueVerdict(queued, queue);
    console.log(`      ${shown(verdict)}`);
    expect(broken([verdict])).to.deep.equal([]);
  });
});
