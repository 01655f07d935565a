import { expect } from 'chai';
import { type IntentDatabase, item, openIntentDatabase, WAITING } from '../support/intent-database.ts';
import { ONE_OF_EACH } from '../support/one-of-each.ts';
import { until } from '../support/processes.ts';

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
    await intentDb.query(`select resume_sending('app_1')`);
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

  it('has its own mails and deliveries dropped, and nobody else’s', async () => {
    await intentDb.query(`
      delete from mails;
      insert into apps (id, slug, name, allowed_scopes) values ('app_2', 'other', 'Other', '{api}');
      insert into webhook_endpoints (id, owner, url, events) values ('whe_2', 'app_2', 'https://example.com', '{*}');
      select emit_event('app_2', 'user.verified', '{}')`);
    for (const app of ['app_1', 'app_2'])
      await intentDb.query(
        `select post_mail(gen_random_uuid(), 'totp_enabled', 'a@example.com', '{}', null, 60, in_name_of => $1)`,
        [app],
      );

    await intentDb.query(`select drop_waiting('app_1', 100)`);

    const mails = await intentDb.query(`select tenant, state from mails order by tenant`);
    expect(mails).to.deep.equal([
      { tenant: 'app_1', state: 'expired' },
      { tenant: 'app_2', state: 'queued' },
    ]);
    const waiting = await intentDb.query(`select distinct owner from webhook_deliveries where state = 'pending'`);
    expect(waiting).to.deep.equal([{ owner: 'app_2' }]);
  });

  it('has its mails dropped beside a worker that ends one of them, without a deadlock', async () => {
    const [first, second] = [item().id, item().id].sort();
    for (const mail of [first, second])
      await intentDb.query(`select post_mail($1, 'notification', 'a@example.com', '{}', null, 60, 'app_1', 'usr_1')`, [
        mail,
      ]);
    const [ending, dropping] = [await intentDb.session(), await intentDb.session()];

    await ending.query('begin');
    await ending.query('select from mails where id = $1 for no key update', [second]);
    const dropped = dropping.query(`select drop_waiting('app_1', 100)`);
    dropped.catch(() => {}); // read below
    await until('it waits', async () => (await intentDb.query(WAITING)).length > 0);
    await ending.query(`set local lock_timeout = '300ms'`); // less than it takes to resolve a deadlock
    await ending.query(`select end_mail($1, 'refused', 'unknown_user')`, [second]);
    await ending.query('commit');
    await dropped;

    const mails = await intentDb.query('select state from mails where id in ($1, $2) order by id', [first, second]);
    expect(mails).to.deep.equal([{ state: 'expired' }, { state: 'refused' }]);
  });

  it('locks its endpoints in the order of their ids, as events do', async () => {
    await intentDb.query(`
      insert into webhook_endpoints (id, owner, url, events) values ('whe_0', 'app_1', 'https://example.com', '{*}');
      update webhook_endpoints set failing_since = now()`);
    const emitting = await intentDb.session();
    await emitting.query(`begin; select from webhook_endpoints where id = 'whe_0' for no key update`);

    const resumed = (await intentDb.session()).query(`select resume_sending('app_1')`);
    resumed.catch(() => {}); // read below
    await until('it waits', async () => (await intentDb.query(WAITING)).length > 0);
    await emitting.query(`set local lock_timeout = '300ms'`); // less than it takes to resolve a deadlock
    await emitting.query(`select from webhook_endpoints where id = 'whe_1' for no key update`);
    await emitting.query('commit');

    expect(await resumed).to.have.length(1);
  });
});
