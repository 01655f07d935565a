import { expect } from 'chai';
import { lookUpThreads } from '../../src/capacity/budgets.ts';
import { isCheaperOneByOne, readWeights } from '../../src/capacity/exchange.ts';
import { jobsOfOneUpstream, jobsOfVenues } from '../../src/capacity/jobs.ts';
import { entrySlots, minerSlot } from '../../src/capacity/network.ts';

describe('what callers share', () => {
  it('is a miner’s threads: some for look-ups, some for exits, the others for entries', () => {
    const shares = [2, 5, 10, 40].map((threads) => {
      const settings = { NETVENUE_MINER_THREADS: threads, NETVENUE_SIGNALS_PER_MIN: 10 };
      const { slots, forExits } = minerSlot('e', settings, false);
      return { lookUps: lookUpThreads(threads), slots, forExits, entries: entrySlots(settings) };
    });

    expect(shares).to.deep.equal([
      { lookUps: 1, slots: 1, forExits: 0, entries: 1 },
      { lookUps: 1, slots: 4, forExits: 2, entries: 2 },
      { lookUps: 1, slots: 9, forExits: 2, entries: 7 },
      { lookUps: 4, slots: 36, forExits: 2, entries: 34 },
    ]);
  });

  it('is the jobs of a runner, of which no upstream that is silent holds all', () => {
    expect([1, 4, 10].map(jobsOfOneUpstream)).to.deep.equal([1, 1, 3]);
    expect(jobsOfVenues(10)).to.deep.equal({
      miners: { exits: 3, entries: 5 },
      exchange: { actions: 2, reads: 1 },
      validator: 5,
    });
  });

  it('is the weight at the exchange: orders are read one by one while that costs no more than their list', () => {
    const most = readWeights.usual / readWeights.light;

    expect([most, most + 1].map(isCheaperOneByOne)).to.deep.equal([true, false]);
  });
});
