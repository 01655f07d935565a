import { expect } from 'chai';
import { behindVerdicts, tradeBehind } from './scenes/replicas.ts';
import { sizes } from './sizes.ts';
import { broken, shown } from './verdicts.ts';

describe('an exchange whose replicas are behind independently, and that ends half-filled brackets', function () {
  this.timeout(240_000);

  it('has no command lost, doubled or reported wrongly, no close too small, and no position without exits for long', async () => {
    const verdicts = behindVerdicts(await tradeBehind(sizes.small.behind));

    for (const verdict of verdicts) console.log(`      ${shown(verdict)}`);
    expect(broken(verdicts)).to.deep.equal([]);
  });
});
