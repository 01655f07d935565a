import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

describe('an app that is enabled again', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
  });
  afterEach(() => intentDb.close());

  const sending = async (lanes: number) => {
    await intentDb.query(`update webhook_endpoints set lanes = ${lanes}, failing_since = now() - interval '6 days'`);
    await intentDb.query(
      `update webhook_deliveries set state = 'sending', lane = 1, taken_at = now() where id = 'whd_1'`,
    );
    await intentDb.query(`select resume_owner('app_1', true)`);
    return (await intentDb.query(`select state, lane from webhook_deliveries where id = 'whd_1'`))[0];
  };

  it('keeps a delivery that is being sent in a lane that has not ended: its attempt is recorded', async () => {
    expect(await sending(0b10)).to.deep.equal({ state: 'sending', lane: 1 });
  });

  it('sends one again whose worker died, and whose lane ended in the meantime', async () => {
    expect(await sending(0b01)).to.deep.equal({ state: 'pending', lane: null });
  });

  it('counts no failure of its receivers from before', async () => {
    await sending(0);

    expect(await intentDb.query(`select failing_since from webhook_endpoints`)).to.deep.equal([
      { failing_since: null },
    ]);
  });
});
