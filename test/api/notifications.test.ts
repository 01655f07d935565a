import { expect } from 'chai';
import { type Identity, startIdentity, type TestApp, type TestUser } from '../support/identity.ts';
import { until } from '../support/processes.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';

describe('sendNotification', () => {
  let service: Identity;
  let app: TestApp;
  let user: TestUser;
  let outsider: TestUser;
  let receiver: Receiver;
  before(async () => {
    service = await startIdentity();
    app = await service.app();
    user = await service.user(app);
    outsider = await service.user(await service.app());
    receiver = await startReceiver();
    for (const events of [['*'], ['kyc.updated']]) {
      await app.ask('POST', '/v2/webhook-endpoints', { json: { url: receiver.url, events } });
    }
  });
  after(async () => {
    await receiver.close();
    await service.stop();
  });
  beforeEach(() => receiver.ledger.splice(0));

  const send = (more: object) =>
    app.ask('POST', '/v2/notifications/send', { json: { subject: 'A subject', html: '<p>Hello</p>', ...more } });
  const sendRaw = async (payload: string) => {
    const reply = await fetch(`${service.url}/v2/notifications/send`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${app.token}`, 'Content-Type': 'application/json' },
      body: `{ "subject": "s", "html": "h", "fanout_event": "a", "payload": ${payload} }`,
    });
    return { status: reply.status, body: (await reply.json()) as { error: { code: string } } }; // as: the problem document
  };
  const mailsTo = (address: string) => service.mailbox.mails(address).length;
  const withoutMail = (webhook_deliveries_queued: number) => ({
    email_sent: false,
    email_status: null,
    notification_id: null,
    webhook_deliveries_queued,
  });

  it('sends nothing for a user_id alone', async () => {
    const before = mailsTo(user.email);

    const reply = await send({ user_id: user.userId });

    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.equal(withoutMail(0));
    expect(mailsTo(user.email)).to.equal(before);
  });

  it('responds with 403 V2_NOTIFY_RECIPIENT_FORBIDDEN to an email or user_id that is not of the app', async () => {
    for (const whom of [
      { email: 'nobody@example.com' },
      { email: outsider.email },
      { user_id: outsider.userId },
      { user_id: 'usr_nobody', email: user.email },
      { email: outsider.email, fanout_event: 'kyc.updated' },
    ]) {
      const { status, body } = await send(whom);
      expect(status, JSON.stringify(whom)).to.equal(403);
      expect(body.error).to.include({ code: 'V2_NOTIFY_RECIPIENT_FORBIDDEN', effect: 'none' });
    }
    expect(receiver.ledger).to.deep.equal([]);
  });

  it('responds with 422 V2_NOTIFY_EMPTY to a notification without a recipient', async () => {
    for (const empty of [{}, { payload: { a: 1 } }, { text: 'x' }]) {
      const { status, body } = await send(empty);
      expect(status).to.equal(422);
      expect(body.error.code).to.equal('V2_NOTIFY_EMPTY');
    }
  });

  it('fans out to the exact name and to `*`, and an unregistered name reaches only `*`', async () => {
    const quiet = await service.app();
    const { body: unregistered } = await quiet.ask('POST', '/v2/notifications/send', {
      json: { subject: 's', html: 'h', fanout_event: 'order.filled' },
    });

    expect((await send({ fanout_event: 'kyc.updated' })).body).to.deep.equal(withoutMail(2));
    expect((await send({ fanout_event: 'anything at all' })).body).to.deep.equal(withoutMail(1));
    expect(unregistered).to.deep.equal(withoutMail(0));
    await until('three deliveries', () => receiver.ledger.length === 3);
  });

  it('mails the address stored for the user, however the email is spelled, and puts user_id in the payload', async () => {
    const spelled = ` ${user.email.toUpperCase()} `.replace('EXAMPLE', 'ＥＸＡＭＰＬＥ');
    const before = mailsTo(user.email);

    const reply = await send({
      email: spelled,
      user_id: user.userId,
      text: 'Hello',
      fanout_event: 'account.funded',
      payload: { amount: 1, user_id: 'usr_forged' },
    });
    const mail = await service.mailTo(user.email, before + 1);
    await until('a delivery', () => receiver.ledger.length === 1);

    expect(reply.body).to.include({ email_sent: true, email_status: 'sent', webhook_deliveries_queued: 1 });
    expect(mail.message_id).to.equal(`<${reply.body.notification_id}@test.invalid>`);
    expect(mail).to.include({ subject: 'A subject' });
    expect(mail.html).to.contain('<p>Hello</p>');
    expect(mail.text).to.contain('Hello');
    expect(mail.to).to.deep.equal([user.email]);
    expect(JSON.parse(receiver.ledger[0]?.body ?? '')).to.deep.include({
      type: 'account.funded',
      data: { amount: 1, user_id: user.userId },
    });
  });

  it('prevents headers and further recipients in a subject', async () => {
    const before = mailsTo(user.email);

    await send({ email: user.email, subject: 'Hi\r\nBcc: victim@example.com\r\n\r\nBody\u2028X-Evil: 1\u0085é' });
    const mail = await service.mailTo(user.email, before + 1);

    expect(mail.to).to.deep.equal([user.email]);
    expect(mail.subject).to.equal('Hi Bcc: victim@example.com Body X-Evil: 1 é');
    const head = mail.raw.split(/\r?\n\r?\n/)[0] ?? '';
    expect(head).not.to.match(/^(bcc|x-evil):/im);
    expect(mailsTo('victim@example.com')).to.equal(0);
  });

  it('rejects what cannot be stored, and never responds with 500', async () => {
    const deep = (levels: number) => `${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`;
    for (const [payload, status, code] of [
      ['{ "a": "\\u0000" }', 400, 'MALFORMED_BODY'],
      ['{ "\\u0000": 1 }', 400, 'MALFORMED_BODY'],
      ['{ "a": ["\\ud800"] }', 400, 'MALFORMED_BODY'],
      [`{ "a": ${deep(9_000)} }`, 413, 'BODY_TOO_LARGE'],
      [`{ "a": [${'0,'.repeat(3_000)}0] }`, 413, 'BODY_TOO_LARGE'],
    ] as const) {
      const reply = await sendRaw(payload);
      expect([reply.status, reply.body.error.code], payload.slice(0, 20)).to.deep.equal([status, code]);
    }
    expect((await sendRaw(`{ "a": ${deep(20)}, "b": "😀" }`)).status).to.equal(200);
    expect((await send({ fanout_event: 'e'.repeat(255), payload: {} })).status).to.equal(200);
  });
});
