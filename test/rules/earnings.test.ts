import { expect } from 'chai';
import { readEarnings } from '../../src/capabilities/payouts/read-model.ts';
import { found } from '../../src/kernel/upstream-result.ts';
import { epochMs } from '../../src/kernel/work.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 168 * HOUR_MS;

describe('the earnings of a subaccount', () => {
  const week = (endedAgoMs: number, payoutUsd: number) => {
    const endMs = epochMs() - endedAgoMs;
    return { startMs: endMs - WEEK_MS, endMs, payoutUsd };
  };
  const earned = (...weeks: ReturnType<typeof week>[]) =>
    readEarnings({ settlements: async () => found(weeks) } as never, { uuid: 'a subaccount', hotkey: null });

  it('lack a week until the network has settled it: it may not show yet what open positions had lost', async () => {
    const before = week(WEEK_MS + HOUR_MS, 100);

    expect(await earned(before, week(HOUR_MS, 400), week(HOUR_MS - WEEK_MS, 50))).to.equal(10_000);
    expect(await earned(before, week(35 * HOUR_MS, 400))).to.equal(10_000);
    expect(await earned(before, week(37 * HOUR_MS, 400))).to.equal(50_000);
  });
});
