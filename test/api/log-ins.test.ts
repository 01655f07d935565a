import { expect } from 'chai';
import { sql } from 'slonik';
import { renewLoginCode, tryLoginCode } from '../../src/capabilities/users/login-codes/commands.ts';
import { sealer } from '../../src/kernel/seal.ts';
import { limits } from '../../src/kernel/throttles.ts';
import {
  atOnce,
  codeIn,
  codeOf,
  fresh,
  type Identity,
  PASSWORD,
  resetTokenIn,
  startIdentity,
  type TestApp,
} from '../support/identity.ts';

const CHALLENGE = 'Session realm="v2 users"';

describe('log-ins of users', () => {
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity({ THROTTLE_SCALE: '1' });
    app = await service.app();
  });
  after(() => service.stop());
  beforeEach(() => service.db.query(sql.unsafe`delete from throttles`));

  const address = () => `${fresh('user')}@example.com`;
  const post = (path: string, json: object) => app.ask('POST', `/v2/auth/${path}`, { json });
  const logIn = (email: string, more: object = {}) => post('login', { email, password: PASSWORD, ...more });
  const spent = (name: string) =>
    service.db.oneFirst(sql.unsafe`select coalesce(sum(spent), 0)::int from throttles where name = ${name}`);
  const mailed = (email: string) =>
    service.db.oneFirst(sql.unsafe`select count(*)::int from mails where recipient = ${email} and template <> 'none'`);
  const seals = () => sealer(service.settings.SEALING_KEYS ?? '');
  const hmacOf = (code: string, table: string, row: string) => seals().hmacs(code, { table, row, column: 'hmac' })[0];

  it('are challenged when they are rejected', async () => {
    const user = await service.user(app);
    const { body } = await user.ask('POST', '/v2/auth/totp/enroll');

    const replies = [
      await logIn(user.email, { password: 'a wrong horse' }),
      await user.ask('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(body.secret, 40) } }),
      await post('sessions/revoke', {}),
    ];
    await user.ask('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(body.secret) } });
    replies.push(await logIn(user.email, { totp_code: codeOf(body.secret, 40) }));

    expect(replies.map((reply) => reply.body.error.code)).to.deep.equal([
      'V2_INVALID_CREDENTIALS',
      'V2_MFA_INVALID',
      'V2_SESSION_INVALID',
      'V2_MFA_INVALID',
    ]);
    for (const { headers, status } of replies) {
      expect(status).to.equal(401);
      expect(headers.get('www-authenticate')).to.equal(CHALLENGE);
    }
  });

  it('with an authenticator need it to prove the password again, and one first code enrolls once', async () => {
    const user = await service.user(app);
    const { body } = await user.ask('POST', '/v2/auth/totp/enroll');
    const json = { code: codeOf(body.secret) };
    const confirmed = await atOnce(5, () => user.ask('POST', '/v2/auth/totp/confirm', { json }));

    const missing = await user.ask('POST', '/v2/auth/reauthenticate', { json: { password: PASSWORD } });

    expect(confirmed.filter(({ status }) => status === 200)).to.have.length(1);
    expect(missing.body.error.code).to.equal('V2_MFA_INVALID');
    expect(missing.headers.get('www-authenticate')).to.equal(CHALLENGE);
  });

  it('give back what they and a verification spent', async () => {
    const user = await service.user(app);
    const afterCode = await spent('code');
    await logIn(user.email, { password: 'a wrong horse' });
    await logIn(user.email);
    await service.db.query(sql.unsafe`delete from throttles`);
    await logIn(user.email, { password: 'a wrong horse' });
    const before = await spent('login');
    await logIn(user.email);

    expect([afterCode, before, await spent('login')]).to.deep.equal([0, 1, 0]);
  });

  it('are possible at once after a reset, which gives back what its owner and unknown callers spent', async () => {
    const user = await service.user(app);
    const { body } = await user.ask('POST', '/v2/auth/totp/enroll');
    await user.ask('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(body.secret, -1) } });
    const tryFrom = (headers: Record<string, string>, more: object) =>
      app.ask('POST', '/v2/auth/login', { json: { email: user.email, password: PASSWORD, ...more }, headers });
    const home = { 'X-End-User-Address': '198.51.100.7' };
    await tryFrom(home, { totp_code: codeOf(body.secret) });
    for (const headers of [home, { 'X-End-User-Address': '203.0.113.7' }]) {
      await tryFrom(headers, { password: 'a wrong horse' });
      await tryFrom(headers, { totp_code: codeOf(body.secret, 40) });
    }
    const before = await Promise.all(['login', 'login_unknown_callers', 'totp', 'totp_day'].map(spent));
    await post('password-reset/request', { email: user.email });
    const token = resetTokenIn((await service.mailTo(user.email, 3)).text);
    const json = { email: user.email, token, new_password: 'another horse battery' };
    const reset = await app.ask('POST', '/v2/auth/password-reset/confirm', { json, headers: home });

    for (const attempts of before) expect(attempts).to.be.at.least(2);
    expect(reset.status).to.equal(200);
    expect(await Promise.all(['login_unknown_callers', 'totp', 'totp_day'].map(spent))).to.deep.equal([0, 1, 0]); // 1: the first code
    expect(await spent('login')).to.equal(2); // the unknown caller's network only
  });

  it('and resets have passwords that are no one’s first guess', async () => {
    const user = await service.user(app);
    const asked = await post('password-reset/request', { email: user.email });
    const token = resetTokenIn((await service.mailTo(user.email, 2)).text);

    const guessable = await post('password-reset/confirm', { email: user.email, token, new_password: 'password1' });

    expect(asked.body).to.deep.equal({ sent: true });
    expect(guessable.status).to.equal(422);
    expect((await logIn(user.email)).status).to.equal(200);
  });

  it('by a mailed code are bound to the user, the networks and the table', async () => {
    const [user, other] = [await service.user(app), await service.user(app)] as const;
    const to = { userId: user.userId, scope: 'unknown' } as Parameters<typeof renewLoginCode>[2];
    await renewLoginCode(service.db, seals(), to);
    const code = codeIn((await service.mailTo(user.email, 2)).text);
    const hmac = await service.db.oneFirst(sql.unsafe`select hmac from login_codes where user_id = ${user.userId}`);

    const attempts = [
      await tryLoginCode(service.db, seals(), { ...to, userId: other.userId as typeof to.userId }, code),
      await tryLoginCode(service.db, seals(), { ...to, scope: '198.51.100.1' }, code),
      await tryLoginCode(service.db, seals(), to, code),
    ];

    expect(attempts).to.deep.equal([false, false, true]);
    expect(hmac).to.deep.equal(hmacOf(code, 'login_codes', `${user.userId}:unknown`));
  });

  it('begin with a code and a salt that nobody computes without the keyring', async () => {
    const email = address();
    await post('signup', { email, password: PASSWORD });
    const row = `${app.appId}:${email}`;
    const code = codeIn((await service.mailTo(email)).text);
    const hmac = await service.db.oneFirst(sql.unsafe`select hmac from one_time_codes where email = ${email}`);
    const again = await post('resend-otp', { email });
    await service.mailTo(email, 2);
    const salt = await service.db.oneFirst(sql.unsafe`select password_salt from users where email = ${email}`);

    expect(hmac).to.deep.equal(hmacOf(code, 'one_time_codes', row));
    expect(again.body).to.deep.equal({ sent: true });
    expect(salt).to.deep.equal(seals().hmacs('', { table: 'users', row, column: 'password_salt' })[0].subarray(0, 16));
  });

  it('of an unverified address are mailed as many resets as the day allows, to the last', async () => {
    const email = address();
    await post('signup', { email, password: PASSWORD });
    const most = limits.first_mails.budget + limits.sign_up_mails.budget; // the sign-up's included
    for (let n = 1; n <= most; n += 1) {
      await service.db.query(sql.unsafe`delete from throttles where name not in ('first_mails', 'sign_up_mails')`);
      await post('password-reset/request', { email });
    }

    expect(await mailed(email)).to.equal(most);
  });

  it('of a user whose attempts are spent are mailed 5 codes an hour', async () => {
    const user = await service.user(app);
    const { body } = await user.ask('POST', '/v2/auth/totp/enroll');
    await user.ask('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(body.secret, -1) } });
    const before = Number(await mailed(user.email));
    await logIn(user.email, { totp_code: codeOf(body.secret, 40) });
    const replies: unknown[] = [];
    for (let n = 0; n < 7; n += 1) {
      await service.db.query(sql.unsafe`update throttles set spent = budget + 1 where name = 'totp_day'`);
      await service.db.query(sql.unsafe`delete from throttles where name not in ('totp_day', 'login_code_mails')`);
      replies.push((await logIn(user.email, { totp_code: codeOf(body.secret, 40) })).body.error.code);
    }
    const templates = await service.db.manyFirst(
      sql.unsafe`select template from mails where recipient = ${user.email} order by id desc`,
    );

    expect(replies).to.deep.equal(Array(7).fill('V2_EMAIL_CODE_REQUIRED'));
    expect(templates.filter((template) => template === 'login_code')).to.have.length(5);
    expect(Number(await mailed(user.email)) - before).to.be.at.least(5);
  });

  it('are listed page by page', async () => {
    const user = await service.user(app);
    for (let n = 0; n < 2; n += 1) await logIn(user.email);

    const pages: { session_id: string; current: boolean }[] = [];
    let path: string | undefined = '/v2/auth/sessions?limit=2';
    while (path) {
      const { body, headers } = await user.ask('GET', path);
      pages.push(...body);
      path = /<[^>]*?(\/v2\/auth\/sessions[^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    }
    const strange = await user.ask('GET', '/v2/auth/sessions?after=ses_of_nobody');

    expect(new Set(pages.map(({ session_id }) => session_id)).size).to.equal(3);
    expect(pages).to.have.length(3);
    expect(pages.filter(({ current }) => current)).to.have.length(1);
    expect(strange.status).to.equal(422);
  });
});
