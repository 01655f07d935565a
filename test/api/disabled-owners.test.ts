import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { caller } from '../support/caller.ts';
import { fresh, type TestAdmin } from '../support/identity.ts';
import { checkOut, eventually, type Money, startMoney } from '../support/money.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';

describe('an app or partner that is disabled', function () {
  this.timeout(60_000);
  let service: Money;
  let receiver: Receiver;
  let admin: TestAdmin;
  before(async () => {
    service = await startMoney();
    admin = await service.admin();
  });
  after(() => service.stop());
  beforeEach(async () => {
    receiver = await startReceiver(); // the app of another test may still be sent something
  });
  afterEach(() => receiver.close());

  const received = (type: string) => receiver.ledger.filter(({ body }) => JSON.parse(body).type === type);
  const set = (path: string, to: 'enable' | 'disable', json?: object) =>
    admin.ask('POST', `/v2/admin/${path}/${to}`, json && { json });
  const noted = (owner: string, type: string) =>
    eventually(() =>
      service.db.maybeOne(sql.unsafe`select from events v where v.owner = ${owner} and v.type = ${type} limit 1`),
    );
  /** Returns once the queue has run everything that is due. */
  const drained = () =>
    eventually(async () => !(await service.db.exists(sql.unsafe`select from queue_jobs j where j.run_at <= now()`)));

  async function buyer() {
    const app = await service.app(['api', 'webhooks']);
    const user = await service.user(app);
    await app.ask('POST', '/v2/webhook-endpoints', { json: { url: receiver.url, events: ['*'] } });
    const { processor_payment_intent_id: id } = await checkOut(user.ask);
    return { app, user, pay: () => service.control('payment', { id, to: 'succeeded' }) };
  }

  it('receives nothing of what happens, and receives it once it is enabled', async () => {
    const { app, pay } = await buyer();
    await set(`apps/${app.appId}`, 'disable');

    await pay();
    await noted(app.appId, 'payment.succeeded');
    await drained();
    const meanwhile = received('payment.succeeded').length;
    await set(`apps/${app.appId}`, 'enable');

    expect(meanwhile).to.equal(0);
    await eventually(async () => received('payment.succeeded').length === 1);
  });

  it('is sent nothing of what an operator requests again for it, and no retry that was planned', async () => {
    const { app, pay } = await buyer();
    receiver.behave(() => 503);
    await pay();
    await eventually(async () => received('payment.succeeded').length === 1);
    await eventually(() =>
      service.db.maybeOne(sql.unsafe`
      select from webhook_deliveries d where d.owner = ${app.appId} and d.state = 'pending' and d.retry_step > 0 limit 1`),
    );
    receiver.behave(() => 200);
    await set(`apps/${app.appId}`, 'disable');
    await drained(); // what was under way
    receiver.ledger.splice(0);

    const id = await service.db.oneFirst(sql.type(z.object({ id: z.string() }))`
      select d.id from webhook_deliveries d where d.owner = ${app.appId} order by d.id limit 1`);
    await admin.ask('POST', `/v2/admin/deliveries/${id}/retry`, { json: { why: 'asked by phone' } });
    await service.runTask('webhooks/sweep');
    await drained();

    expect(receiver.ledger).to.deep.equal([]);
  });

  it('has five days from then on in which its receiver has to respond: nothing was sent while it was disabled', async () => {
    const { app, pay } = await buyer();
    receiver.behave(() => 503);
    await pay();
    await eventually(() =>
      service.db.maybeOne(sql.unsafe`
      select from webhook_endpoints e where e.owner = ${app.appId} and e.failing_since is not null`),
    );
    await set(`apps/${app.appId}`, 'disable');
    await drained();
    await service.db.query(sql.unsafe`
      update webhook_endpoints set failing_since = now() - interval '6 days' where owner = ${app.appId}`);
    receiver.ledger.splice(0);

    await set(`apps/${app.appId}`, 'enable');
    await eventually(async () => receiver.ledger.length > 0);
    await drained();

    const why = await service.db.oneFirst(sql.type(z.object({ why: z.string().nullable() }))`
      select e.deactivated_because as why from webhook_endpoints e where e.owner = ${app.appId}`);
    expect(why).to.equal(null);
  });

  it('receives nothing of it if the operator drops what waited', async () => {
    const { app, user, pay } = await buyer();
    await set(`apps/${app.appId}`, 'disable');
    await pay();
    await noted(app.appId, 'payment.succeeded');
    await service.db.query(sql.unsafe`select mail_user(${user.userId}, 'totp_guessed', gen_random_uuid(), '{}', 3600)`);
    const waiting = await service.db.manyFirst(sql.type(z.object({ id: z.string() }))`
      select d.id from webhook_deliveries d where d.owner = ${app.appId}`);

    const enabled = await set(`apps/${app.appId}`, 'enable', { waiting: 'drop' });
    await drained();

    expect(enabled.status).to.equal(200);
    expect(received('payment.succeeded')).to.deep.equal([]);
    expect(
      await service.db.manyFirst(sql.type(z.object({ state: z.string() }))`
        select d.state from webhook_deliveries d where d.id = any(${sql.array([...waiting], 'text')})`),
    ).to.satisfy((states: string[]) => states.every((state) => state === 'cancelled'));
    expect(service.mailbox.mails(user.email).map(({ subject }) => subject)).to.have.length(1);
  });

  it('is enabled with a backlog that is too large to be dropped by one statement within its time limit', async () => {
    const { app } = await buyer();
    await set(`apps/${app.appId}`, 'disable');
    await service.db.query(sql.unsafe`
      select emit_event(${app.appId}, 'kyc.updated', '{}') from generate_series(1, 2500)`);

    const enabled = await set(`apps/${app.appId}`, 'enable', { waiting: 'drop' });
    await drained();

    expect(enabled.status).to.equal(200);
    expect(received('kyc.updated')).to.deep.equal([]);
    const together = await service.db.manyFirst(sql.type(z.object({ n: z.number() }))`
      select count(*) as n from webhook_deliveries d where d.owner = ${app.appId} and d.state = 'cancelled' group by d.xmin`);
    expect(together.reduce((sum, n) => sum + n)).to.equal(2500);
    expect(Math.max(...together)).to.be.at.most(1000);
  });

  it('has its dropped deliveries in the audit log even if it could not be enabled after that', async () => {
    const { app } = await buyer();
    await set(`apps/${app.appId}`, 'disable');
    await service.db.query(sql.unsafe`
      select emit_event(${app.appId}, 'kyc.updated', '{}') from generate_series(1, 1500)`);
    await service.db.query(sql.unsafe`
      alter table apps add constraint stays_disabled check (id <> ${sql.literalValue(app.appId)} or disabled_at is not null)`);

    const failed = await set(`apps/${app.appId}`, 'enable', { waiting: 'drop' });
    await service.db.query(sql.unsafe`alter table apps drop constraint stays_disabled`);
    const acts = await service.db.manyFirst(sql.type(z.object({ action: z.string() }))`
      select u.action from admin_audit u where u.subject = ${app.appId} order by u.id`);
    const cancelled = await service.db.oneFirst(sql.type(z.object({ n: z.number() }))`
      select count(*) as n from webhook_deliveries d where d.owner = ${app.appId} and d.state = 'cancelled'`);

    expect(failed.status).to.equal(500);
    expect(cancelled).to.equal(1500);
    expect(acts).to.deep.equal(['app.create', 'app.disable', 'app.drop_waiting']);
  });

  it('keeps what waits for it when the request to enable it is repeated after a lost response', async () => {
    const { app, pay } = await buyer();
    receiver.behave(() => 503);
    await pay();
    const pending = () =>
      service.db.exists(sql.unsafe`
        select from webhook_deliveries d where d.owner = ${app.appId} and d.state = 'pending' and d.retry_step > 0`);
    await eventually(pending);

    const again = await set(`apps/${app.appId}`, 'enable', { waiting: 'drop' });

    expect(again.status).to.equal(200);
    expect(await pending()).to.equal(true);
  });

  it('has neither mails in its name nor its own notifications sent until it is enabled', async () => {
    const app = await service.app();
    const user = await service.user(app);
    await set(`apps/${app.appId}`, 'disable');

    await service.db.query(sql.unsafe`select mail_user(${user.userId}, 'totp_guessed', gen_random_uuid(), '{}', 3600)`);
    await service.db.query(sql.unsafe`
      select post_mail(gen_random_uuid(), 'notification', ${user.email}, '{"subject": "s", "html": "h"}', null, 3600, ${app.appId}, ${user.userId})`);
    await drained();
    const meanwhile = service.mailbox.mails(user.email).length;
    await set(`apps/${app.appId}`, 'enable');

    expect(meanwhile).to.equal(1);
    await service.mailTo(user.email, 3);
  });

  it('has no receipt of an agreement mailed either, until it is enabled', async () => {
    const app = await service.app();
    const user = await service.user(app);
    await user.ask('POST', '/v2/agreements/sign', { json: { agreement_version: '1', signature_name: 'Jane' } });
    await service.mailTo(user.email, 2);
    await set(`apps/${app.appId}`, 'disable');

    await service.db.query(sql.unsafe`
      with again as (
        update mails m set state = 'queued', ended_at = null where m.recipient = ${user.email} and m.template = 'agreement_signed' returning m.id
      )
      select enqueue(array(select mail_job(a.id, null) from again a))`); // as if it had not been sent yet
    await drained();
    const meanwhile = service.mailbox.mails(user.email).length;
    await set(`apps/${app.appId}`, 'enable');

    expect(meanwhile).to.equal(2);
    await service.mailTo(user.email, 3);
  });

  it('as a partner receives nothing either, and what waited once it is enabled', async () => {
    const made = await admin.ask('POST', '/v2/admin/partners', { json: { name: fresh('partner') } });
    const id = String(made.body.partner_id);
    await caller(service.url, made.body.key).post('/v1/webhook-endpoints', { url: receiver.url, events: ['*'] });
    await set(`partners/${id}`, 'disable');

    await service.db.query(sql.unsafe`select emit_event(${id}, 'order.updated', '{}')`);
    await drained();
    const meanwhile = receiver.ledger.length;
    await set(`partners/${id}`, 'enable');

    expect(meanwhile).to.equal(0);
    await eventually(async () => received('order.updated').length === 1);
  });
});
