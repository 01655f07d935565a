import { expect } from 'chai';
import { liveThroughYear, yearVerdicts } from './scenes/year.ts';
import { sizes } from './sizes.ts';
import { broken, shown } from './verdicts.ts';

describe('a database with many settled orders', function () {
  this.timeout(300_000);

  it('is as fast as an empty one, shows operators everything soon, and deletes faster than orders come', async () => {
    const { year } = sizes.small;

    const lived = await liveThroughYear(year);

    const verdicts = yearVerdicts(lived, year);
    for (const verdict of verdicts) console.log(`      ${shown(verdict)}`);
    expect(broken(verdicts)).to.deep.equal([]);
    expect(lived.intents).to.be.at.least(year.intents);
    expect(lived.pruned.orders).to.be.above(0);
  });
});
