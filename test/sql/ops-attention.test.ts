import { expect } from 'chai';
import { type IntentDatabase, openIntentDatabase } from '../support/intent-database.ts';
import { intentAt } from '../support/operator.ts';

describe('what waits for a person', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());

  it('counts an intent without proof for a day after its end, however long ago it was accepted', async () => {
    const [late, long] = [await intentAt(intentDb, 'sent'), await intentAt(intentDb, 'sent')];
    const problem = { code: 'PROCESSOR_SILENT', effect: 'unknown' };
    for (const id of [late, long])
      await intentDb.query('select settle_intent($1, 1, $2, $3)', [id, 'failed', { problem }]);
    await intentDb.query(`update intents set created_at = now() - interval '2 days' where id = any($1)`, [
      [late, long],
    ]);
    await intentDb.query(`update intents set settled_at = now() - interval '25 hours' where id = $1`, [long]);

    const counted = await intentDb.query<{ what: string; count: number }>('select * from ops.attention');

    expect(counted.find(({ what }) => what === 'undecided_intents')?.count).to.equal(1);
  });
});
