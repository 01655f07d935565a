import { expect } from 'chai';
import createClient from 'openapi-fetch';
import { sql } from 'slonik';
import { z } from 'zod';
import type { paths } from '../../src/contract/types.ts';
import {
  atOnce,
  bearer,
  codeIn,
  fresh,
  type Identity,
  PASSWORD,
  resetTokenIn,
  served,
  startIdentity,
  statuses,
  type TestApp,
} from '../support/identity.ts';
import { hashAtLowCost, hashAtRealCost } from '../support/password-cost.ts';

describe('end users', () => {
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity();
    app = await service.app();
  });
  after(() => service.stop());

  const signUp = (email: string, password = PASSWORD) =>
    app.ask('POST', '/v2/auth/signup', { json: { email, password } });
  const verify = (email: string, code: string) => app.ask('POST', '/v2/auth/verify-email', { json: { email, code } });
  const logIn = (email: string, password = PASSWORD) =>
    app.ask('POST', '/v2/auth/login', { json: { email, password } });
  const address = () => `${fresh('someone')}@example.com`;

  it('completes signup, mail, verify, login and me with a typed client', async () => {
    const client = createClient<paths>({ baseUrl: service.url, headers: bearer(app.token) });
    const email = address();
    const signup = await client.POST('/v2/auth/signup', { body: { email, password: PASSWORD } });
    const code = codeIn((await service.mailTo(email)).text);
    const verified = await client.POST('/v2/auth/verify-email', { body: { email, code } });
    const login = await client.POST('/v2/auth/login', { body: { email, password: PASSWORD } });
    const me = await client.GET('/v2/auth/me', { headers: { 'X-Session-Token': login.data?.session_token ?? '' } });

    expect(signup.data).to.include({ email, email_verified: false, otp_sent: true });
    expect(verified.data).to.include({ email, email_verified: true });
    expect(login.data).to.include({ user_id: signup.data?.user_id, mfa_required: false });
    expect(me.data).to.deep.equal({ user_id: signup.data?.user_id, email, app_id: app.appId });
  });

  describe('signUpUser', () => {
    it('is idempotent on app and address in any spelling', async () => {
      const email = address();

      const first = await signUp(email);
      const second = await signUp(`  ${email.toUpperCase()}`.trim());
      const code = codeIn((await service.mailTo(email, 2)).text);

      expect(second.body).to.deep.equal(first.body);
      expect((await verify(email, code)).status).to.equal(200);
      expect((await logIn(email)).status).to.equal(200);
    });

    it('responds alike for a verified user, and reports that by mail only', async () => {
      const user = await service.user(app);

      const again = await signUp(user.email, 'another horse battery');
      const mail = await service.mailTo(user.email, 2);

      expect(again.body).to.deep.equal({
        user_id: user.userId,
        email: user.email,
        email_verified: false,
        otp_sent: true,
      });
      expect(mail.subject).to.include('already have an account');
      expect(codeIn(mail.text)).to.equal('');
      expect((await verify(user.email, '123456')).body.error.code).to.equal('V2_OTP_INVALID');
    });

    it('creates one user in 100 concurrent sign-ups', async () => {
      const email = address();

      const replies = await atOnce(100, () => signUp(email));

      expect(statuses(replies)).to.deep.equal({ 200: 100 });
      expect(new Set(replies.map(({ body }) => body.user_id)).size).to.equal(1);
      expect(await service.db.oneFirst(sql.unsafe`select count(*)::int from users where email = ${email}`)).to.equal(1);
    });

    it('rejects common passwords, the address itself, and lengths outside 8 to 256', async () => {
      const email = address();

      expect((await signUp(email, 'Password123')).body.error.code).to.equal('V2_PASSWORD_GUESSABLE');
      expect((await signUp(email, email)).body.error.code).to.equal('V2_PASSWORD_GUESSABLE');
      expect((await signUp(email, 'short12')).body.error.code).to.equal('INVALID_REQUEST');
      expect((await signUp(email, 'x7'.repeat(129))).body.error.code).to.equal('INVALID_REQUEST');
      expect((await signUp(email, 'ж'.repeat(100) + 'x7'.repeat(78))).status).to.equal(200);
    });

    it('keeps users of two apps separate', async () => {
      const other = await service.app();
      const user = await service.user(app);

      const there = await other.ask('POST', '/v2/auth/login', { json: { email: user.email, password: PASSWORD } });
      const me = await other.ask('GET', '/v2/auth/me', { headers: { 'X-Session-Token': user.session } });

      expect(there.body.error.code).to.equal('V2_INVALID_CREDENTIALS');
      expect(me.body.error.code).to.equal('V2_SESSION_INVALID');
    });
  });

  describe('verifyUserEmail', () => {
    it('accepts a code exactly once out of 100 concurrent uses', async () => {
      const email = address();
      await signUp(email);
      const code = codeIn((await service.mailTo(email)).text);

      const replies = await atOnce(100, () => verify(email, code));

      expect(statuses(replies)).to.deep.equal({ 200: 1, 400: 99 });
    });

    it('compares no more than 5 of 1,000 guesses, 200 of them at once', async () => {
      const email = address();
      await signUp(email);
      const right = codeIn((await service.mailTo(email)).text);
      const guesses = Array.from({ length: 1_001 }, (_, n) => String(n).padStart(6, '0')).filter((g) => g !== right);

      const codes: unknown[] = [];
      for (let sent = 0; sent < 1_000; sent += 200) {
        const replies = await atOnce(200, (n) => served(() => verify(email, guesses[sent + n] ?? '')));
        codes.push(...replies.map(({ body }) => body.error?.code));
      }

      expect(codes.filter((code) => code === 'V2_OTP_INVALID')).to.have.length(5);
      expect(codes.filter((code) => code === 'V2_OTP_EXPIRED')).to.have.length(995);
      expect((await verify(email, right)).body.error.code).to.equal('V2_OTP_EXPIRED');
    });

    it('rejects a code after 10 minutes and after a newer one', async () => {
      const email = address();
      await signUp(email);
      const first = codeIn((await service.mailTo(email)).text);
      await app.ask('POST', '/v2/auth/resend-otp', { json: { email } });
      const second = codeIn((await service.mailTo(email, 2)).text);

      const stale = first === second ? null : await verify(email, first);
      await service.db.query(
        sql.unsafe`update one_time_codes set expires_at = expires_at - interval '10 minutes' where email = ${email}`,
      );
      const late = await verify(email, second);

      expect(stale?.body.error.code ?? 'V2_OTP_INVALID').to.equal('V2_OTP_INVALID');
      expect(late.body.error.code).to.equal('V2_OTP_EXPIRED');
    });
  });

  describe('logInUser', () => {
    it('rejects a wrong password, and an unverified address only after the right one', async () => {
      const email = address();
      await signUp(email);

      expect((await logIn(email, 'wrong horse battery')).body.error.code).to.equal('V2_INVALID_CREDENTIALS');
      expect((await logIn(email)).body.error.code).to.equal('V2_EMAIL_NOT_VERIFIED');
    });

    it('computes a new hash when the parameters have increased', async () => {
      const user = await service.user(app);
      const { hash } = await import('argon2');
      const weak = await hash(PASSWORD, { memoryCost: 8_192, timeCost: 2, parallelism: 1 });
      await service.db.query(sql.unsafe`update users set password_hash = ${weak} where id = ${user.userId}`);

      hashAtRealCost();
      const reply = await logIn(user.email).finally(hashAtLowCost);
      const kept = await service.db.oneFirst(sql.unsafe`select password_hash from users where id = ${user.userId}`);

      expect(reply.status).to.equal(200);
      expect(kept).to.match(/^\$argon2id\$v=19\$m=19456,(p=1,t=2|t=2,p=1)\$/);
      expect((await logIn(user.email)).status).to.equal(200);
    });
  });

  describe('password reset', () => {
    const request = (email: string) => app.ask('POST', '/v2/auth/password-reset/request', { json: { email } });
    const confirm = (email: string, token: string, new_password = 'a new horse battery') =>
      app.ask('POST', '/v2/auth/password-reset/confirm', { json: { email, token, new_password } });

    it('ends every session, changes the password, works once out of 100 concurrent uses, and sends a notice', async () => {
      const user = await service.user(app);
      await request(user.email);
      const token = resetTokenIn((await service.mailTo(user.email, 2)).text);

      const replies = await atOnce(100, () => confirm(user.email, token));

      expect(statuses(replies)).to.deep.equal({ 200: 1, 400: 99 });
      expect((await user.ask('GET', '/v2/auth/me')).status).to.equal(401);
      expect((await logIn(user.email)).status).to.equal(401);
      expect((await logIn(user.email, 'a new horse battery')).status).to.equal(200);
      expect((await service.mailTo(user.email, 3)).subject).to.include('was changed');
    });

    it('responds alike for an unknown address, mails nobody, and accepts no other token', async () => {
      const user = await service.user(app);
      const outsider = address();

      const known = await request(user.email);
      const unknown = await request(outsider);
      await service.mailTo(user.email, 2);

      expect(unknown.body).to.deep.equal(known.body);
      expect(service.mailbox.mails(outsider)).to.have.length(0);
      expect((await confirm(user.email, 'rst_wrong')).body.error.code).to.equal('V2_OTP_INVALID');
      expect((await confirm(outsider, 'rst_wrong')).body.error.code).to.equal('V2_OTP_INVALID');
    });

    it('rejects an expired token and one replaced by a newer', async () => {
      const user = await service.user(app);
      await request(user.email);
      const first = resetTokenIn((await service.mailTo(user.email, 2)).text);
      await request(user.email);
      const second = resetTokenIn((await service.mailTo(user.email, 3)).text);

      const replaced = await confirm(user.email, first);
      await service.db.query(
        sql.unsafe`update password_resets set expires_at = expires_at - interval '1 hour' where email = ${user.email}`,
      );

      expect(replaced.body.error.code).to.equal('V2_OTP_INVALID');
      expect((await confirm(user.email, second)).body.error.code).to.equal('V2_OTP_INVALID');
    });
  });

  it('leaves no code or token in job payloads, in logs, or in mails once they are sent', async () => {
    const email = address();
    await signUp(email);
    const code = codeIn((await service.mailTo(email)).text);
    await new Promise((resolve) => setTimeout(resolve, 200));

    const mail = await service.db.one(
      sql.type(z.any())`select state, secret, data from mails where recipient = ${email}`,
    );
    const jobs = await service.db.any(sql.unsafe`select payload from queue_jobs`);

    expect(mail).to.deep.include({ state: 'sent', secret: null });
    expect(JSON.stringify([mail.data, jobs, service.log.lines])).not.to.include(`"${code}"`);
    expect(JSON.stringify(service.log.lines)).not.to.include(email);
  });
});
