import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { fresh, type Identity, PASSWORD, startIdentity, type TestApp } from '../support/identity.ts';

describe('mail', () => {
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity();
    app = await service.app();
  });
  after(() => service.stop());

  const signUp = (email: string) => app.ask('POST', '/v2/auth/signup', { json: { email, password: PASSWORD } });
  const mailRow = (recipient: string) =>
    service.db.one(
      sql.type(
        z.object({
          id: z.string(),
          state: z.string(),
          attempts: z.number(),
          fault: z.string().nullable(),
          secret: z.any(),
        }),
      )`
        select id, state, attempts, fault, secret from mails where recipient = ${recipient}`,
    );
  const until = async (recipient: string, state: string) => {
    for (let n = 0; n < 200; n += 1) {
      const row = await mailRow(recipient);
      if (row.state === state) return row;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return mailRow(recipient);
  };

  it('is sent as text and HTML under the id of its row', async () => {
    const email = `${fresh('someone')}@example.com`;
    await signUp(email);

    const mail = await service.mailTo(email);
    const row = await until(email, 'sent');

    expect(mail.message_id).to.equal(`<${row.id}@test.invalid>`);
    expect(mail.text).to.match(/^Enter this code in Example app[\s\S]+\n\n\d{6}\n\n/);
    expect(mail.html).to.match(/<strong>\d{6}<\/strong>/);
  });

  it('is retried later when the server says so, and abandoned after a permanent rejection', async () => {
    const later = `greylist-${fresh('someone')}@example.com`;
    const never = `bounce-${fresh('someone')}@example.com`;
    await signUp(later);
    await signUp(never);

    const sent = await until(later, 'sent');
    const rejected = await until(never, 'refused');

    expect(sent).to.include({ state: 'sent', attempts: 2, secret: null });
    expect(rejected).to.include({ state: 'refused', fault: 'smtp_550', secret: null });
  });

  it('is not sent once its code has expired', async () => {
    const quiet = await startIdentity({}, false);
    const email = `${fresh('someone')}@example.com`;
    const fixture = await quiet.app();
    await fixture.ask('POST', '/v2/auth/signup', { json: { email, password: PASSWORD } });
    const waiting = await quiet.db.oneFirst(
      sql.unsafe`select secret is not null from mails where recipient = ${email}`,
    );
    await quiet.db.query(sql.unsafe`update mails set expires_at = now()`);

    await quiet.startWorker();
    for (let n = 0; n < 100; n += 1) {
      if ((await quiet.db.oneFirst(sql.unsafe`select state from mails where recipient = ${email}`)) === 'expired')
        break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const state = await quiet.db.oneFirst(
      sql.unsafe`select state || coalesce(secret::text, '') from mails where recipient = ${email}`,
    );
    await quiet.stop();

    expect(waiting).to.equal(true);
    expect(state).to.equal('expired');
    expect(quiet.mailbox.mails(email)).to.have.length(0);
  });
});
