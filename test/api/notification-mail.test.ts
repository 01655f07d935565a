import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { fresh, type Identity, startIdentity, type TestApp } from '../support/identity.ts';
import { nextOf } from '../support/pages.ts';

describe('the e-mail of sendNotification', () => {
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity();
    app = await service.app();
  });
  after(() => service.stop());

  /** A user of the app whose mailbox behaves as its name says: see the sandbox's mail server. */
  async function recipient(mailbox: string): Promise<{ userId: string; email: string }> {
    const name = fresh(mailbox);
    const user = { userId: `usr_${name}`, email: `${name}@example.com` };
    await service.db.query(sql.unsafe`
      insert into users (id, app_id, email, password_hash, verified_at)
      values (${user.userId}, ${app.appId}, ${user.email}, 'none', now())`);
    return user;
  }
  const send = (email: string, headers: Record<string, string> = {}) =>
    app.ask('POST', '/v2/notifications/send', { json: { subject: 's', html: '<p>h</p>', email }, headers });
  const eventsOf = async (notificationId: string) => {
    const { body } = await app.ask('GET', '/v2/events');
    return body.filter(({ data }: { data: { notification_id?: string } }) => data.notification_id === notificationId);
  };

  it('is sent once the mail server took it, and not before', async () => {
    const { email } = await recipient('fine');

    const { body } = await send(email);

    expect(body).to.include({ email_sent: true, email_status: 'sent' });
    expect(service.mailbox.mails(email)).to.have.length(1);
    expect(await eventsOf(body.notification_id)).to.deep.equal([]);
  });

  it('is waited for through a temporary rejection', async () => {
    const { email } = await recipient('greylist');

    const { body } = await send(email);

    expect(body).to.include({ email_sent: true, email_status: 'sent' });
    expect(service.mailbox.mails(email)).to.have.length(1);
  });

  it('is failed where the mail server rejects it permanently; the event log and the operators have it', async () => {
    const { email, userId } = await recipient('bounce');

    const { status, body } = await send(email);

    expect(status).to.equal(200);
    expect(body).to.include({ email_sent: false, email_status: 'failed' });
    const [event, another] = await eventsOf(body.notification_id);
    expect(event).to.deep.include({
      type: 'notification.failed',
      data: { notification_id: body.notification_id, user_id: userId, reason: 'smtp_550' },
    });
    expect(another).to.equal(undefined);
    const { ask } = await service.admin();
    const listed = await ask('GET', '/v2/admin/mails/failed');
    const found = listed.body.find(({ mail_id }: { mail_id: string }) => mail_id === body.notification_id);
    expect(found).to.include({ app_id: app.appId, user_id: userId, recipient: email, state: 'refused' });
    expect(found).to.include({ reason: 'smtp_550', attempts: 1 });
  });

  it('is listed to operators in pages', async () => {
    for (const _ of [1, 2]) await send((await recipient('bounce')).email);
    const { ask } = await service.admin();

    const first = await ask('GET', '/v2/admin/mails/failed?limit=1');
    const second = await ask('GET', nextOf(first));

    expect(first.body).to.have.length(1);
    expect(second.body).to.have.length(1);
    expect(second.body[0].mail_id < first.body[0].mail_id).to.equal(true);
  });

  it('is queued after the time that the caller prefers to wait, and in the event log once it is given up', async () => {
    const { email } = await recipient('busy');

    const [now, later] = await Promise.all([
      send(email, { Prefer: 'respond-async' }),
      send(email, { Prefer: 'wait=1' }),
    ]);
    const id = now.body.notification_id;
    const end = (delayS: number) =>
      service.db.oneFirst(sql.unsafe`select retry_mail(${id}::uuid, ${delayS}, 'smtp_451') as is_planned`);
    const [ended, again] = [await end(100_000), await end(1)];

    for (const { status, body } of [now, later]) {
      expect(status).to.equal(200);
      expect(body).to.include({ email_sent: false, email_status: 'queued' });
    }
    expect([ended, again]).to.deep.equal([false, false]);
    const events = await eventsOf(id);
    expect(events).to.have.length(1);
    expect(events[0]).to.have.nested.property('data.reason', 'smtp_451');
    expect(await eventsOf(later.body.notification_id)).to.deep.equal([]);
  });

  it('is waited for by a repeat as well: both get the same response', async () => {
    const { email } = await recipient('greylist');
    const headers = { 'Idempotency-Key': fresh('key') };

    const first = send(email, headers);
    await sleep(300); // committed, and rejected for now by the mail server
    const [one, other] = await Promise.all([first, send(email, headers)]);

    expect(one.body).to.include({ email_status: 'sent' });
    expect(other.body).to.deep.equal(one.body);
  });

  it('has its first response again under the same Idempotency-Key, and is sent once', async () => {
    const { email } = await recipient('fine');
    const headers = { 'Idempotency-Key': fresh('key') };

    const replies = await Promise.all([send(email, headers), send(email, headers)]);

    const afterIt = await send(email, headers);
    expect(replies.map(({ body }) => body.email_status)).to.deep.equal(['sent', 'sent']);
    expect(afterIt.body).to.deep.equal(replies[0]?.body);
    expect(service.mailbox.mails(email)).to.have.length(1);
  });
});
