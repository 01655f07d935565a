import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

describe('what is reported once', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
  });
  afterEach(() => intentDb.close());

  it('of a dispute is that it was opened and how it ended, whatever states it passes', async () => {
    await intentDb.query(`select write_payment('pay_1', 'succeeded', now(), 5000, 'usd', false, true, now())`);
    for (const [n, status] of ['needs_response', 'under_review', 'lost'].entries())
      await intentDb.query(`select note_loss('pay_1', $1, $2)`, [
        { kind: 'dispute', id: 'dp_1', cents: 5_000, currency: 'usd', status },
        1_000 * (n + 1),
      ]);

    const told = await intentDb.query(`select type from events where type like 'payment.dispute%' order by position`);
    expect(told).to.deep.equal([{ type: 'payment.disputed' }, { type: 'payment.dispute_lost' }]);
  });

  it('of an account is nothing if it has changed since it was read; then it is left unchanged', async () => {
    await intentDb.query(`update prop_accounts set status = 'eliminated', failure_reason = 'disputed'`);
    const count = async () => (await intentDb.query(`select from events where type = 'account.updated'`)).length;
    const before = await count();

    const [moved] = await intentDb.query(
      `select move_prop_account('prop_1', 'provisioning', 'evaluation', null) as is_moved`,
    );

    expect(moved).to.deep.equal({ is_moved: false });
    expect(await intentDb.query(`select status from prop_accounts`)).to.deep.equal([{ status: 'eliminated' }]);
    expect(await count()).to.equal(before);
  });

  it('of an account that has changed since it was read is no broken rule', async () => {
    await intentDb.query(`update prop_accounts set status = 'eliminated', failure_reason = 'disputed'`);

    await intentDb.query(
      `select record_sync('prop_1', 'evaluation', 'eliminated', 'drawdown', 'eliminated', null, '{"rule": "drawdown"}')`,
    );

    expect(await intentDb.query(`select breach, failure_reason from prop_accounts`)).to.deep.equal([
      { breach: null, failure_reason: 'disputed' },
    ]);
  });

  it('of a delivery that was requested again during its last attempt is that it is sent again', async () => {
    await intentDb.query(`
      update webhook_endpoints set lanes = 1;
      update webhook_deliveries set state = 'sending', lane = 0, fence = 7, taken_at = now(), attempts = 10 where id = 'whd_1'`);
    const [asked] = await intentDb.query(`select redeliver('app_1', 'whd_1') as verdict`);
    const said = { delivery_id: 'whd_1', fence: 7, ending: 'failed', duration_ms: 1, status: 500, error: 'status' };

    await intentDb.query(`select end_attempts($1)`, [JSON.stringify([{ n: 0, endpoint_id: 'whe_1', said }])]);

    expect(asked).to.deep.equal({ verdict: 'queued' });
    const [delivery] = await intentDb.query(
      `select state, ended_at, due_at <= now() as is_due from webhook_deliveries where id = 'whd_1'`,
    );
    expect(delivery).to.deep.equal({ state: 'pending', ended_at: null, is_due: true });
  });
});
