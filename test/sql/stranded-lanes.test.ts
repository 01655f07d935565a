import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';

/** What it waits for has been due for an hour, and no lane has it. */
const STRANDED = `
  update webhook_endpoints set lanes = 0;
  update webhook_deliveries set state = 'pending', lane = null, ended_at = null, due_at = now() - interval '1 hour';
  delete from queue_jobs`;
const DEAD = `update queue_jobs set attempts = max_attempts`;

describe('the sweep of lanes', () => {
  let intentDb: IntentDatabase;
  beforeEach(async () => {
    intentDb = await openIntentDatabase();
    await intentDb.query(ONE_OF_EACH);
    await intentDb.query(STRANDED);
  });
  afterEach(() => intentDb.close());

  const found = async () => (await intentDb.query<{ n: number }>('select requeue_stranded_lanes() as n'))[0]?.n;

  it('starts one for what is due and has none, once', async () => {
    expect([await found(), await found()]).to.deep.equal([1, 0]);
  });

  it('starts none while the owner is disabled', async () => {
    await intentDb.query(`update apps set disabled_at = now() where id = 'app_1'`);

    expect(await found()).to.equal(0);
  });

  for (const [what, job] of [
    ['lane', `enqueue(array[lane_job('whe_1', 0, now())])`],
    ['planned dispatch', `plan_dispatch('whe_1')`],
  ])
    it(`counts a ${what} whose job is dead as none, and one whose job waits as there`, async () => {
      await intentDb.query(`update webhook_endpoints set lanes = 1; select ${job}`);
      const waiting = await found();
      await intentDb.query(DEAD);

      expect([waiting, await found()]).to.deep.equal([0, 1]);
    });

  it('leaves a lane alone whose attempt began a moment ago: its worker has it without a job', async () => {
    await intentDb.query(`
      update webhook_endpoints set lanes = 1;
      update webhook_deliveries set state = 'sending', lane = 0, taken_at = now() - interval '30 seconds' where id = 'whd_1'`);
    const begun = await found();
    await intentDb.query(`update webhook_deliveries set taken_at = now() - interval '2 minutes' where id = 'whd_1'`);

    expect([begun, await found()]).to.deep.equal([0, 1]);
  });
});
