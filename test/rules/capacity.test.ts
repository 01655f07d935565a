import { expect } from 'chai';
import { lookUpThreads } from '../../src/capacity/budgets.ts';
import {
  comparisonPace as exchangePace,
  isCheaperOneByOne,
  MOST_FOLLOWED,
  readWeights,
} from '../../src/capacity/exchange.ts';
import { jobsOfOneUpstream, jobsOfVenues } from '../../src/capacity/jobs.ts';
import { entrySlots, minerSlot, comparisonPace as networkPace, paceOf } from '../../src/capacity/network.ts';

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

  it('is what the validator takes of a trader in a minute, of which whole signals are kept for exits', () => {
    const kept = [3, 10, 19].map((perMinute) => {
      const pace = paceOf('e_1', { NETVENUE_MINER_THREADS: 10, NETVENUE_SIGNALS_PER_MIN: perMinute });
      return [pace.name, pace.perMinute, pace.forExits];
    });

    expect(kept).to.deep.equal([
      ['signals:e_1', 3, 0],
      ['signals:e_1', 10, 3],
      ['signals:e_1', 19, 5],
    ]);
  });

  it('is what comparisons of exits may take in a minute: a part of it at once, the rest steadily', () => {
    expect(networkPace).to.deep.equal({ burst: 40, perSecond: 4 });
    expect(exchangePace).to.deep.equal({ burst: 7.5, perSecond: 0.5 });
  });

  it('is the users that the exchange streams to one address', () => {
    expect(MOST_FOLLOWED).to.equal(10); // venues/exchange.md#stream
  });

  it('is the jobs of a runner, of which no upstream that is silent holds all', () => {
    expect([1, 4, 10].map(jobsOfOneUpstream)).to.deep.equal([1, 1, 3]);
    expect([2, 10, 100].map((jobs) => jobsOfVenues(jobs))).to.deep.equal([
      { miners: { exits: 2, entries: 2 }, exchange: { actions: 1, reads: 1 }, validator: 1 },
      { miners: { exits: 5, entries: 10 }, exchange: { actions: 2, reads: 1 }, validator: 5 },
      { miners: { exits: 25, entries: 50 }, exchange: { actions: 20, reads: 10 }, validator: 50 },
    ]);
  });

  it('is the weight at the exchange: orders are read one by one while that costs no more than their list', () => {
    const most = readWeights.usual / readWeights.light;

    expect([most, most + 1].map(isCheaperOneByOne)).to.deep.equal([true, false]);
  });
});
