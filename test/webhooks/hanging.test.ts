import { expect } from 'chai';
import { runWith } from './hanging.ts';

const NOISE_MS = 15; // two cores shared with the receivers: below this, runs differ by themselves

describe('hanging receivers', () => {
  it('do not slow down the others', async function () {
    this.timeout(60_000);
    const load = { endpoints: 50, hanging: 10, perS: 60, forS: 4, seed: 7 };

    const baseline = await runWith(load, false);
    const beside = await runWith(load, true);

    console.log(`    healthy p95 ${baseline.p95.toFixed(1)} ms, with 10 of 50 hanging ${beside.p95.toFixed(1)} ms`);
    expect(beside.delivered).to.equal(baseline.delivered);
    expect(beside.p95).to.be.at.most(Math.max(2 * baseline.p95, baseline.p95 + NOISE_MS));
  });
});
