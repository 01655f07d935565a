import { expect } from 'chai';
import { alone } from '../support/alone.ts';
import { HOTKEY, validator, venue } from '../support/validator.ts';

const UUID = '550e8400-e29b-41d4-a716-446655440000';
const ACCOUNT = { uuid: UUID, hotkey: HOTKEY };

describe('reading payouts of the network', () => {
  alone();

  const NOON = Date.parse('2026-11-21T12:00:00Z');
  const week = {
    start_ms: 1_772_409_600_000,
    end_ms: 1_773_014_400_000,
    eow_balance: 130,
    eow_unrealized: -5,
    payout: 125,
  };
  const mockPayouts = (end_time_ms: number) =>
    validator.post('/entity/subaccount/payout', { subaccount_uuid: UUID, start_time_ms: 0, end_time_ms });

  it('requests everything up to the last 12-hour boundary', async () => {
    const sent = mockPayouts(NOON).reply(200, {
      status: 'success',
      data: { hotkey: HOTKEY, weekly_settlements: [week], payout: 125 },
    });

    const response = await venue.settlements(ACCOUNT, NOON + 3_600_000);

    sent.done();
    expect(response).to.deep.equal({
      kind: 'found',
      data: [{ startMs: week.start_ms, endMs: week.end_ms, payoutUsd: 125 }],
    });
  });

  it('reads the older name of the object, and sorts the weeks', async () => {
    const earlier = { ...week, start_ms: week.start_ms - 604_800_000, end_ms: week.start_ms, payout: 1 };
    mockPayouts(NOON).reply(200, { payout_data: { weekly_settlements: [week, earlier] } });

    const response = await venue.settlements(ACCOUNT, NOON);

    expect(response).to.nested.include({ 'data[0].payoutUsd': 1, 'data[1].payoutUsd': 125 });
  });

  it('shows the week that has not ended whole, although the validator ends it with what was asked for', async () => {
    const monday = Date.parse('2026-11-16T00:00:00Z');
    const running = { ...week, start_ms: monday, end_ms: NOON, payout: 7.25 };
    mockPayouts(NOON).reply(200, { data: { weekly_settlements: [running], payout: 7.25 } });

    const response = await venue.settlements(ACCOUNT, NOON);

    expect(response).to.deep.equal({
      kind: 'found',
      data: [{ startMs: monday, endMs: Date.parse('2026-11-23T00:00:00Z'), payoutUsd: 7.25 }],
    });
  });

  it('adds the parts of a week in which the account changed its track', async () => {
    const changed = week.start_ms + 12 * 3_600_000;
    const parts = [
      { ...week, end_ms: changed, payout: 0.1, settled_segment: true },
      { ...week, start_ms: changed, payout: 0.2, settled_segment: false },
    ];
    mockPayouts(NOON).reply(200, { data: { weekly_settlements: parts, payout: 0.3 } });

    const response = await venue.settlements(ACCOUNT, NOON);

    expect(response).to.deep.equal({
      kind: 'found',
      data: [{ startMs: week.start_ms, endMs: week.end_ms, payoutUsd: 0.3 }],
    });
  });

  it('is absent when the validator has none', async () => {
    mockPayouts(NOON).reply(404, { error: 'not in a funded bucket' });

    expect(await venue.settlements(ACCOUNT, NOON)).to.deep.equal({ kind: 'absent' });
  });

  for (const [what, status, body] of [
    ['a page', 200, '<html>'],
    ['no weeks', 200, { data: { payout: 0 } }],
    ['a week without its payout', 200, { data: { weekly_settlements: [week, { ...week, payout: null }] } }],
    ['a week twice', 200, { data: { weekly_settlements: [week, { ...week, payout: 60 }] } }],
    ['a week that costs', 200, { data: { weekly_settlements: [{ ...week, payout: -125 }] } }],
    ['those of another account', 200, { data: { hotkey: '5Entity_30', weekly_settlements: [week] } }],
    ['a rejected alignment', 400, { error: 'end_time_ms must align' }],
  ] as const) {
    it(`is unreadable, never without payouts: ${what}`, async () => {
      mockPayouts(NOON).reply(status, body);

      expect(await venue.settlements(ACCOUNT, NOON)).to.include({ kind: 'unreadable' });
    });
  }
});
