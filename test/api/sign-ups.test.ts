import { expect } from 'chai';
import { sql } from 'slonik';
import {
  asking,
  atOnce,
  bearer,
  codeIn,
  fresh,
  type Identity,
  resetTokenIn,
  startIdentity,
  type TestApp,
} from '../support/identity.ts';

const OWNERS = 'correct horse battery staple';
const ATTACKERS = 'attacker knows this one';
const LATER = 'chosen by the owner';

describe('sign-ups of an address that is not verified', () => {
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity();
    app = await service.app();
  });
  after(() => service.stop());

  const address = () => `${fresh('victim')}@example.com`;
  const post = (path: string, json: object) => app.ask('POST', `/v2/auth/${path}`, { json });
  /** Does something that mails the address, and waits for that mail. */
  const mailed = async (email: string, path: string, json: object = { email }) => {
    const mails = service.mailbox.mails(email).length;
    const reply = await post(path, json);
    return { ...reply, mail: await service.mailTo(email, mails + 1) };
  };
  const signUp = (email: string, password: string) => mailed(email, 'signup', { email, password });
  const logIn = async (email: string, password: string) => {
    const { status, body } = await post('login', { email, password });
    return status === 200 ? 'in' : body.error.code;
  };
  const verify = (email: string, { text }: { text: string }) => post('verify-email', { email, code: codeIn(text) });
  const reset = async (email: string, new_password: string) => {
    const { mail } = await mailed(email, 'password-reset/request');
    return post('password-reset/confirm', { email, token: resetTokenIn(mail.text), new_password });
  };

  for (const [first, second] of [
    [ATTACKERS, OWNERS],
    [OWNERS, ATTACKERS],
  ] as const) {
    it(`open a session to who reads the mail, but no password counts: ${first === OWNERS ? 'owner' : 'attacker'} first`, async () => {
      const email = address();
      await signUp(email, first);
      await signUp(email, second);

      const { mail } = await mailed(email, 'resend-otp');
      const verified = await verify(email, mail);
      const after = [await logIn(email, ATTACKERS), await logIn(email, OWNERS)];
      const asked = await asking(service.url, { ...bearer(app.token), 'X-Session-Token': verified.body.session_token })(
        'POST',
        '/v2/auth/reauthenticate',
        { json: { password: first } },
      );
      const advised = await mailed(email, 'resend-otp');
      const done = await reset(email, LATER);

      expect(mail.text).to.match(/none of the passwords counts/);
      expect(verified.body).to.include({ email, email_verified: true });
      expect(verified.body.session_token).to.be.a('string');
      expect(after).to.not.include('in');
      expect([asked.status, asked.body.error.code]).to.deep.equal([403, 'V2_PASSWORD_RESET_REQUIRED']);
      expect([advised.status, advised.mail.subject]).to.deep.equal([200, 'Set a password for Example app']);
      expect(done.status).to.equal(200);
      expect(await logIn(email, LATER)).to.equal('in');
      expect(await logIn(email, ATTACKERS)).not.to.equal('in');
    });
  }

  it('that was verified by a request whose response was lost gets a mail that says so instead of the next code', async () => {
    const email = address();
    const { mail } = await signUp(email, OWNERS);
    await verify(email, mail);

    const again = await verify(email, mail);
    const told = await mailed(email, 'resend-otp');

    expect(again.body.error.code).to.equal('V2_OTP_EXPIRED');
    expect(told.mail.subject).to.equal('Your e-mail address is verified at Example app');
    expect(told.mail.text).to.match(/log in with your password/);
    expect(await logIn(email, OWNERS)).to.equal('in');
  });

  it('count with the one password that all of them gave, however often and at once', async () => {
    const email = address();
    await atOnce(5, () => post('signup', { email, password: OWNERS }));
    await service.mailTo(email, 5);

    const { mail } = await signUp(email, OWNERS);
    await verify(email, mail);

    expect(mail.text).not.to.match(/none of the passwords/);
    expect(await logIn(email, OWNERS)).to.equal('in');
  });

  it('own no password before, neither in a table nor at log-in', async () => {
    const email = address();
    await signUp(email, OWNERS);

    const stored = await service.db.oneFirst(sql.unsafe`select password_hash from users where email = ${email}`);

    expect(stored).to.equal(null);
    expect(await logIn(email, OWNERS)).to.equal('V2_EMAIL_NOT_VERIFIED');
  });

  it('get the same log-in response for an address that is new, that is pending, and that has an owner', async () => {
    const [unknown, pending] = [address(), address()];
    await signUp(pending, OWNERS);
    const { email: owned } = await service.user(app);
    const conflicted = address();
    await signUp(conflicted, OWNERS);
    await verify(conflicted, (await signUp(conflicted, ATTACKERS)).mail);
    const { email: recovered } = await service.user(app);
    await signUp(recovered, ATTACKERS);
    await reset(recovered, LATER);
    const all = [unknown, pending, owned, conflicted, recovered];

    const before = await Promise.all(all.slice(0, 3).map((email) => logIn(email, ATTACKERS)));
    const replies = await Promise.all(all.map((email) => signUp(email, ATTACKERS)));
    const after = await Promise.all(all.map((email) => logIn(email, ATTACKERS)));

    expect(before).to.deep.equal(Array(3).fill('V2_INVALID_CREDENTIALS'));
    expect(new Set(replies.map(({ status, body }) => `${status} ${Object.keys(body)} ${body.otp_sent}`)).size).to.equal(
      1,
    );
    expect(after).to.deep.equal(Array(5).fill('V2_EMAIL_NOT_VERIFIED'));
  });

  it('never change the account of a verified owner', async () => {
    const user = await service.user(app);

    await signUp(user.email, ATTACKERS);

    expect(await logIn(user.email, ATTACKERS)).not.to.equal('in');
    expect(await logIn(user.email, OWNERS)).to.equal('in');
    expect((await user.ask('GET', '/v2/auth/me')).status).to.equal(200);
  });

  it('end after 7 days, so that the password of a later owner is the only one', async () => {
    const email = address();
    await signUp(email, ATTACKERS);
    await service.db.query(sql.unsafe`
      update sign_ups s set created_at = now() - interval '8 days' from users u where u.id = s.user_id and u.email = ${email}`);
    await service.runTask('housekeeping/forget');

    const { mail } = await signUp(email, OWNERS);
    await verify(email, mail);

    expect(await logIn(email, OWNERS)).to.equal('in');
    expect(await logIn(email, ATTACKERS)).to.equal('V2_INVALID_CREDENTIALS');
  });

  it('are forgotten together: a newer one does not become the only one when the owner was first and slow to verify', async () => {
    const email = address();
    await signUp(email, OWNERS);
    await service.db.query(sql.unsafe`
      update sign_ups s set created_at = now() - interval '8 days' from users u where u.id = s.user_id and u.email = ${email}`);
    await signUp(email, ATTACKERS);
    await service.runTask('housekeeping/forget');

    const verified = await verify(email, (await mailed(email, 'resend-otp')).mail);

    expect(verified.body.session_token).to.be.a('string');
    expect(await logIn(email, ATTACKERS)).to.not.equal('in');
  });
});
