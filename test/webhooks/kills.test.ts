import { expect } from 'chai';
import { deliverThroughKills } from './kills.ts';

describe('deliveries through kills', () => {
  it('of apps and partners reach every receiver at least once; repeats have the same id and bytes, and verify', async function () {
    this.timeout(120_000);

    const audit = await deliverThroughKills({ events: 500, endpoints: 10, kills: 3, failing: 0.3, seed: 11 });

    console.log(`    ${JSON.stringify(audit)}`);
    expect(audit).to.include({ events: 500, lost: 0, unverified: 0, changed: 0 });
    expect(audit.repeats).to.be.greaterThan(0);
  });
});
