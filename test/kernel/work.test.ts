import { expect } from 'chai';
import { epochMs } from '../../src/kernel/work.ts';

describe('the time', () => {
  const { now } = Date;
  afterEach(() => {
    Date.now = now;
  });

  for (const jumpMs of [600_000, -600_000])
    it(`goes on steadily when the clock of the host jumps by ${jumpMs} ms`, () => {
      const before = epochMs();

      Date.now = () => now() + jumpMs;

      expect(epochMs() - before).to.be.within(0, 1_000);
    });

  it('is whole milliseconds, those of the host when the process started', () => {
    expect(Number.isInteger(epochMs())).to.equal(true);
    expect(Math.abs(epochMs() - now())).to.be.below(1_000);
  });
});
