import { expect } from 'chai';
import { shown } from './figures.ts';
import { measureP2 } from './p2.ts';

/** Far above the promise, which `npm run bench` measures on a machine that does nothing else meanwhile. */
const GENEROUS_MS = 100;

describe('the way of an order through the service', function () {
  this.timeout(60_000);

  it('adds little to the time of the venue', async () => {
    const figures = await measureP2({ seconds: 4, warmupSeconds: 2 });

    console.log(shown(figures).replaceAll(/^/gm, '      '));
    expect(figures.values.orders).to.equal(200);
    expect(figures.values.added_p50_ms).to.be.below(GENEROUS_MS);
  });
});
