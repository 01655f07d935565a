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

  it('counts mails that were given up, unless one or two addresses are wrong', async () => {
    const given = (state: string, ...recipients: string[]) =>
      intentDb.query(
        `insert into mails (id, template, recipient, data, state, expires_at, ended_at)
         select gen_random_uuid(), 'notification', r, '{}', $1, now(), now() from unnest($2::text[]) r`,
        [state, recipients],
      );
    const counted = async () =>
      (await intentDb.query<{ count: number }>(`select count from ops.attention where what = 'failed_mails'`))[0]
        ?.count;

    await given('refused', 'a@example.com', 'a@example.com', 'b@example.com');
    expect(await counted()).to.equal(0);
    await given('refused', 'c@example.com');
    expect(await counted()).to.equal(4);
    await intentDb.query('delete from mails');
    await given('expired', 'a@example.com');
    expect(await counted()).to.equal(1);
  });

  it('counts an event of the processor that was not applied within 10 minutes', async () => {
    const received = (id: string, minutes: number, outcome: string | null) =>
      intentDb.query(
        `insert into processor_events (id, type, said_at, fact, object_id, source, received_at, outcome, acted_at)
         values ($1, 'payment_intent.succeeded', now(), '{}', 'pi_1', 'notified', now() - make_interval(mins => $2), $3::text, case when $3::text is not null then now() end)`,
        [id, minutes, outcome],
      );
    await received('evt_late', 11, null);
    await received('evt_new', 9, null);
    await received('evt_foreign', 11, 'not_ours');

    const counted = await intentDb.query<{ what: string; count: number }>('select * from ops.attention');

    expect(counted.find(({ what }) => what === 'unapplied_events')?.count).to.equal(1);
  });
});
