import { expect } from 'chai';
import { tradeWithEveryVerb, verbVerdict } from './scenes/verbs.ts';
import { sizes } from './sizes.ts';
import { broken, shown } from './verdicts.ts';

describe('every order verb at a slow miner', function () {
  this.timeout(240_000);

  it('loses nothing, does nothing twice and reports nothing wrongly, on v1, on v2 and of a tenant with its own miner', async () => {
    const [load] = sizes.small.verbs;
    if (!load) throw new Error('There is one');

    const run = await tradeWithEveryVerb(load);

    const verdict = verbVerdict(run, load);
    console.log(`      ${shown(verdict)}`);
    expect(broken([verdict])).to.deep.equal([]);
  });
});
