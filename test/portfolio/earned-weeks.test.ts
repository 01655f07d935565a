import { expect } from 'chai';
import { absent, found, type ReadResult, unreadable } from '../../src/kernel/upstream-result.ts';
import type { Dashboard } from '../../src/venues/network/adapter/types.ts';
import { weeksOf } from '../../src/venues/network/portfolio/read-model.ts';
import type { PayoutWeek } from '../../src/venues/portfolio.ts';

const ENDED_MS = 1_000;
const week = (endMs: number, payoutUsd: number) => ({ endMs, payoutUsd }) as PayoutWeek; // as: nothing else is read
const WEEKS = [week(500, 0), week(900, 7), week(ENDED_MS, 8), week(ENDED_MS + 1, 9)];
const eliminated = (reason: string | null, atMs: number | null = ENDED_MS) =>
  ({ status: 'eliminated', bucket: null, elimination: { reason, atMs } }) as unknown as Dashboard; // as: nothing else is read
const active = { status: 'active', bucket: null, elimination: null } as unknown as Dashboard; // as: nothing else is read

describe('the weeks with a payout', () => {
  /** Their ends, or the code of the error; and until when they were asked for. */
  async function weeks(shown: Dashboard | null, settlements: ReadResult<PayoutWeek[]> = found(WEEKS)) {
    const untilMs: (number | undefined)[] = [];
    const reads = {
      settlements: async (_: object, until?: number) => {
        untilMs.push(until);
        return settlements;
      },
    };
    const ends = await weeksOf(reads as never, { uuid: 'uuid', hotkey: null }, shown).then(
      (all) => all.map(({ endMs }) => endMs),
      (error) => error.code as string,
    );
    return { ends, untilMs };
  }

  it('of an account that lives are all that it earned in', async () => {
    for (const shown of [active, null])
      expect(await weeks(shown)).to.deep.equal({ ends: [900, ENDED_MS, ENDED_MS + 1], untilMs: [undefined] });
    expect((await weeks(active, absent)).ends).to.deep.equal([]);
    expect((await weeks(active, unreadable('away'))).ends).to.equal('VENUE_UNREADABLE');
  });

  it('of an eliminated one are those that had ended by then, as the network showed them before', async () => {
    expect(await weeks(eliminated('MDD'))).to.deep.equal({ ends: [900, ENDED_MS], untilMs: [ENDED_MS - 1] });
  });

  it('of an eliminated one are unknown, never none, where the network does not show them', async () => {
    for (const shown of [absent, unreadable('away')])
      expect((await weeks(eliminated('MDD'), shown)).ends).to.equal('VENUE_UNREADABLE');
    expect((await weeks(eliminated('MDD', null))).ends).to.equal('VENUE_UNREADABLE');
  });

  it('of one that failed its challenge are none', async () => {
    expect(await weeks(eliminated('FAILED_CHALLENGE_PERIOD'))).to.deep.equal({ ends: [], untilMs: [] });
  });
});
