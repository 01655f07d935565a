import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';

describe('the state that a user reads', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  const read = async (state: string) =>
    (await intentDb.query<{ state: string }>(`select ${state} as state`)).map(({ state: shown }) => shown)[0];

  it('of a payment is what became of the money, even when an older status of the processor arrives last', async () => {
    expect(await read(`payment_state('succeeded', 0, 0)`)).to.equal('succeeded');
    expect(await read(`payment_state('succeeded', 1, 0)`)).to.equal('refunded');
    expect(await read(`payment_state('succeeded', 1, 1)`)).to.equal('disputed');
  });

  it('of a payout is delayed while it is, whatever its step', async () => {
    const payout = (more: object) =>
      `payout_state(jsonb_populate_record(null::payouts, '${JSON.stringify({ status: 'submitted', ...more })}'))`;

    expect(await read(payout({}))).to.equal('submitted');
    expect(await read(payout({ delayed_since: '2026-11-01T00:00:00Z' }))).to.equal('delayed');
  });
});
