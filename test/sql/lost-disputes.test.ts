import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

describe('a dispute that is lost, and has given a part back', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query('delete from payment_losses');
  });
  after(() => intentDb.close());

  const loses = (loss: object, atMs: number) =>
    intentDb.query(`select note_loss('pay_1', $1, $2)`, [{ currency: 'usd', kind: 'dispute', ...loss }, atMs]);

  it('takes the rest, and no more of it is accepted than that', async () => {
    const dispute = { id: 'dp_1', cents: 5_000, status: 'lost' };
    await loses(dispute, 2_000);
    await intentDb.query('update payment_losses set accepted_cents = 5000');

    await loses({ ...dispute, cents: 1_000 }, 2_000); // of the same second

    await loses({ id: 'dp_2', cents: 500, status: 'needs_response' }, 3_000);
    const losses = await intentDb.query(`select withdrawn::integer, open_disputes::integer from losses_of('pay_1')`);
    expect(losses).to.deep.equal([{ withdrawn: 1_500, open_disputes: 500 }]);
  });
});
