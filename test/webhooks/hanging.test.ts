import { expect } from 'chai';
import { runWith } from './hanging.ts';

/** `npm run bench -- --only HANGING` measures that they do not slow down the others. */
describe('hanging receivers', () => {
  it('delay no delivery to the others', async function () {
    this.timeout(60_000);
    const load = { endpoints: 50, hanging: 10, perS: 60, forS: 2, seed: 7 };

    const [baseline, beside] = await Promise.all([runWith(load, false), runWith(load, true)]);

    expect(baseline.delivered).to.be.greaterThan(0);
    expect(beside.delivered).to.equal(baseline.delivered);
  });
});
