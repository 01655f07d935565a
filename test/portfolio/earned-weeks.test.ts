import { expect } from 'chai';
import { absent, found, type ReadResult, unreadable } from '../../src/kernel/upstream-result.ts';
import { epochMs } from '../../src/kernel/work.ts';
import type { Dashboard } from '../../src/venues/network/adapter/types.ts';
import { readSettlements, weeksOf } from '../../src/venues/network/portfolio/read-model.ts';
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

describe('settlements that the validator says it does not have', () => {
  const HOUR_MS = 3_600_000;
  const shownWith = (openMs: (number | null)[] | 'no section') => {
    const positions = openMs === 'no section' ? [] : openMs.map((each) => ({ openMs: each }));
    return { ...active, positions, reported: { positions: openMs !== 'no section' } } as unknown as Dashboard; // as: nothing else is read
  };
  async function kindOf(dashboard: ReadResult<Dashboard>, orders: ReadResult<object> = absent): Promise<string> {
    const reads = {
      settlements: async () => absent,
      dashboard: async () => dashboard,
      networkOrders: async () => orders,
    };
    return (await readSettlements(reads as never, { uuid: 'uuid', hotkey: 'entity_1' })).kind;
  }

  it('are none of an account that has not traded for long enough to be settled', async () => {
    expect(await kindOf(found(shownWith([epochMs() - 35 * HOUR_MS])))).to.equal('absent');
    expect(await kindOf(found(shownWith('no section')))).to.equal('absent');
  });

  it('are unreadable, never none, of one that has, or of which nothing proves that it has not', async () => {
    for (const shown of [[epochMs(), epochMs() - 37 * HOUR_MS], [null]])
      expect(await kindOf(found(shownWith(shown)))).to.equal('unreadable');
    expect(await kindOf(found(shownWith('no section')), unreadable('away'))).to.equal('unreadable');
    for (const shown of [absent, unreadable('away')]) expect(await kindOf(shown)).to.equal('unreadable');
  });

  it('are none in its challenge, however long it has traded: older builds say so of every account that is not funded', async () => {
    for (const bucket of ['SUBACCOUNT_CHALLENGE', 'PRO_CHALLENGE_DIRECT']) {
      const shown = { ...shownWith([epochMs() - 37 * HOUR_MS]), bucket };
      const weeks = weeksOf({ settlements: async () => absent } as never, { uuid: 'uuid', hotkey: 'entity_1' }, shown);

      expect(await kindOf(found(shown))).to.equal('absent');
      expect(await weeks.catch(({ code }) => code)).to.deep.equal([]);
    }
    const funded = { ...shownWith([epochMs() - 37 * HOUR_MS]), bucket: 'SUBACCOUNT_FUNDED' };
    expect(await kindOf(found(funded))).to.equal('unreadable');
  });

  it('never come of subaccount 0, which is said: a repeat does not help', async () => {
    const earning = { uuid: 'uuid', hotkey: 'entity_0' };
    const reads = (shown: Dashboard) => ({
      settlements: async () => absent,
      dashboard: async () => found(shown),
      networkOrders: async () => absent,
    });
    const traded = shownWith([0]);
    const errors = await Promise.all([
      readSettlements(reads(traded) as never, earning).catch((error) => error),
      weeksOf(reads(traded) as never, earning, traded).catch((error) => error),
      weeksOf(reads(traded) as never, earning, eliminated('MDD')).catch((error) => error),
    ]);

    for (const { code, retryable, message } of errors) {
      expect({ code, retryable }).to.deep.equal({ code: 'VENUE_UNREADABLE', retryable: false });
      expect(message).to.match(/no payouts of subaccount 0/);
    }
    expect(await weeksOf(reads(traded) as never, earning, shownWith([epochMs()]))).to.deep.equal([]);
    expect(
      await weeksOf(reads(traded) as never, { uuid: 'uuid', hotkey: 'entity_10' }, traded).catch((e) => e.retryable),
    ).to.equal(true);
  });

  it('are unreadable in the weeks with a payout, too', async () => {
    const reads = { settlements: async () => absent, networkOrders: async () => absent };
    const earning = { uuid: 'uuid', hotkey: 'entity_1' };

    const weeks = weeksOf(reads as never, earning, shownWith([0]));

    expect(await weeks.catch(({ code }) => code)).to.equal('VENUE_UNREADABLE');
    expect(await weeksOf(reads as never, earning, shownWith([epochMs()]))).to.deep.equal([]);
  });
});
