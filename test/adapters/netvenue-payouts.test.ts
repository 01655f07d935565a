import { expect } from 'chai';
import { alone } from '../support/alone.ts';
import { validator, venue } from '../support/validator.ts';

const UUID = '550e8400-e29b-41d4-a716-446655440000';

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
  const asked = (end_time_ms: number) =>
    validator.post('/entity/subaccount/payout', { subaccount_uuid: UUID, start_time_ms: 0, end_time_ms });

  it('asks for everything up to the last 12-hour boundary', async () => {
    const sent = asked(NOON).reply(200, { status: 'success', data: { weekly_settlements: [week], payout: 125 } });

    const answer = await venue.settlements(UUID, NOON + 3_600_000);

    sent.done();
    expect(answer).to.deep.equal({
      kind: 'found',
      said: [{ startMs: week.start_ms, endMs: week.end_ms, payoutUsd: 125 }],
    });
  });

  it('reads the older name of the object, and sorts the weeks', async () => {
    const earlier = { ...week, start_ms: week.start_ms - 604_800_000, end_ms: week.start_ms, payout: 1 };
    asked(NOON).reply(200, { payout_data: { weekly_settlements: [week, earlier] } });

    const answer = await venue.settlements(UUID, NOON);

    expect(answer).to.nested.include({ 'said[0].payoutUsd': 1, 'said[1].payoutUsd': 125 });
  });

  it('is absent where the validator has none', async () => {
    asked(NOON).reply(404, { error: 'not in a funded bucket' });

    expect(await venue.settlements(UUID, NOON)).to.deep.equal({ kind: 'absent' });
  });

  for (const [what, status, body] of [
    ['a page', 200, '<html>'],
    ['no weeks', 200, { data: { payout: 0 } }],
    ['a week without its payout', 200, { data: { weekly_settlements: [week, { ...week, payout: null }] } }],
    ['a refused alignment', 400, { error: 'end_time_ms must align' }],
  ] as const) {
    it(`is unreadable, never without payouts: ${what}`, async () => {
      asked(NOON).reply(status, body);

      expect(await venue.settlements(UUID, NOON)).to.include({ kind: 'unreadable' });
    });
  }
});
