import { expect } from 'chai';
import { sql } from 'slonik';
import {
  atOnce,
  codeOf,
  type Identity,
  PASSWORD,
  startIdentity,
  statuses,
  type TestApp,
  type TestUser,
  withinOneStep,
} from '../support/identity.ts';

describe('TOTP of end users', () => {
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity();
    app = await service.app();
  });
  after(() => service.stop());

  const logIn = (user: TestUser, totp_code?: string) =>
    app.ask('POST', '/v2/auth/login', {
      json: { email: user.email, password: PASSWORD, ...(totp_code && { totp_code }) },
    });
  const confirm = (user: TestUser, code: string) => user.ask('POST', '/v2/auth/totp/confirm', { json: { code } });
  const disable = (user: TestUser, code: string) => user.ask('POST', '/v2/auth/totp/disable', { json: { code } });
  const enabled = async () => {
    const user = await service.user(app);
    await withinOneStep();
    const { body } = await user.ask('POST', '/v2/auth/totp/enroll');
    await confirm(user, codeOf(body.secret, -1));
    return { user, seed: String(body.secret) };
  };

  it('shows in an authenticator under the name of the app', async () => {
    const user = await service.user(app);

    const { body } = await user.ask('POST', '/v2/auth/totp/enroll');

    const uri = new URL(body.otpauth_uri);
    expect(uri.searchParams.get('issuer')).to.equal('Example app');
    expect(decodeURIComponent(uri.pathname)).to.contain(`Example app:${user.email}`);
  });

  it('is required at log-in while it is enabled, and no longer once it is disabled', async () => {
    const { user, seed } = await enabled();

    const without = await logIn(user);
    const withCode = await logIn(user, codeOf(seed));
    const off = await disable(user, codeOf(seed, 1));
    const after = await logIn(user);

    expect(without.status).to.equal(200);
    expect(without.body).to.deep.equal({ mfa_required: true });
    expect(withCode.body).to.include({ user_id: user.userId, mfa_required: false });
    expect(off.body).to.deep.equal({ enabled: false });
    expect(after.body).to.include({ mfa_required: false });
  });

  it('is not enabled before its first code, and rejects a second enrollment, a wrong code, and codes without an enrollment', async () => {
    const user = await service.user(app);

    await withinOneStep();
    const early = [await confirm(user, '123456'), await disable(user, '123456')];
    const { body } = await user.ask('POST', '/v2/auth/totp/enroll');
    const wrong = await confirm(user, wrongCode(body.secret));
    const still = await logIn(user);
    const confirmed = await atOnce(10, () => confirm(user, codeOf(body.secret)));
    const on = confirmed.find(({ status }) => status === 200);
    const again = [await confirm(user, codeOf(body.secret, 1)), await user.ask('POST', '/v2/auth/totp/enroll')];

    expect(early.map(({ body }) => body.error.code)).to.deep.equal(['V2_MFA_NOT_STARTED', 'V2_MFA_NOT_STARTED']);
    expect(body.otpauth_uri).to.include(encodeURIComponent(user.email));
    expect(wrong.body.error.code).to.equal('V2_MFA_INVALID');
    expect(still.body.mfa_required).to.equal(false);
    expect(confirmed.filter(({ status }) => status === 200)).to.have.length(1);
    expect(on?.body).to.deep.equal({ enabled: true });
    expect(again.map(({ body }) => body.error.code)).to.deep.equal([
      'V2_MFA_ALREADY_ENABLED',
      'V2_MFA_ALREADY_ENABLED',
    ]);
  });

  it('outlives the session that it was enrolled in, ended or removed', async () => {
    const { user, seed } = await enabled();
    const { body } = await logIn(user, codeOf(seed));
    const [first] = (await user.ask('GET', '/v2/auth/sessions')).body.filter(
      ({ current }: { current: boolean }) => current,
    );

    const removed = await app.ask('POST', '/v2/auth/sessions/revoke', {
      json: { session_id: first.session_id },
      headers: { 'X-Session-Token': body.session_token },
    });

    expect(removed.body).to.deep.equal({ revoked: true });
    expect((await user.ask('GET', '/v2/auth/me')).status).to.equal(401);
    expect((await logIn(user)).body).to.deep.equal({ mfa_required: true });
    expect((await logIn(user, codeOf(seed, 1))).status).to.equal(200);
  });

  it('accepts one code exactly once in 100 concurrent log-ins', async () => {
    const { user, seed } = await enabled();
    const code = codeOf(seed);

    const replies = await atOnce(100, () => logIn(user, code));

    expect(statuses(replies)).to.deep.equal({ 200: 1, 401: 99 });
    expect(replies.find(({ status }) => status === 401)?.body.error.code).to.equal('V2_MFA_INVALID');
    expect((await disable(user, code)).body.error.code).to.equal('V2_MFA_INVALID');
  });

  it('rejects codes from two steps ago, and reveals nothing about the code before the password is right', async () => {
    const { user, seed } = await enabled();

    const old = await logIn(user, codeOf(seed, -3));
    const json = { email: user.email, password: 'wrong horse battery', totp_code: codeOf(seed) };
    const wrong = await app.ask('POST', '/v2/auth/login', { json });

    expect(old.body.error.code).to.equal('V2_MFA_INVALID');
    expect(wrong.body.error.code).to.equal('V2_INVALID_CREDENTIALS');
    expect((await logIn(user, codeOf(seed))).status).to.equal(200);
  });

  it('keeps its seed sealed, for this user alone', async () => {
    const { user, seed } = await enabled();
    const other = await enabled();

    const row = await service.db.oneFirst(sql.unsafe`select u::text from users u where id = ${user.userId}`);
    await service.db.query(sql.unsafe`
      update users set totp_seed = (select totp_seed from users where id = ${other.user.userId}) where id = ${user.userId}`);

    expect(row).not.to.include(Buffer.from(seed).toString('hex')).and.not.include(seed);
    expect((await logIn(user, codeOf(other.seed, 1))).status).to.equal(500);
  });
});

const wrongCode = (seed: string) => {
  const right = [-1, 0, 1].map((steps) => codeOf(seed, steps));
  return ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? '';
};
