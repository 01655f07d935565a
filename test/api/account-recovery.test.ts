import { expect } from 'chai';
import { sql } from 'slonik';
import {
  type Ask,
  asking,
  bearer,
  codeOf,
  PASSWORD,
  resetTokenIn,
  type TestApp,
  withinOneStep,
} from '../support/identity.ts';
import { until } from '../support/processes.ts';
import { startTrading, type TestTrader, TRADING, type Trading } from '../support/trading.ts';

const NEW_PASSWORD = 'chosen by the owner';

describe('an owner who recovers an account from a thief', () => {
  let service: Trading;
  before(async () => {
    service = await startTrading();
  });
  after(() => service.stop());

  const logIn = async (
    owner: TestTrader,
    password = PASSWORD,
    totp_code?: string,
  ): Promise<{ session: string; ask: Ask }> => {
    const json = { email: owner.user.email, password, ...(totp_code && { totp_code }) };
    const { body } = await service.tenant.ask('POST', '/v2/auth/login', { json });
    const session = String(body.session_token);
    return { session, ask: asking(service.url, { ...bearer(service.tenant.token), 'X-Session-Token': session }) };
  };
  const mint = async (ask: Ask, label = 'bot') => (await ask('POST', '/v2/api-keys', { json: { label } })).body;
  /** A key that its user revoked an hour ago, in the list that the user reads. */
  const revokedBefore = async (ask: Ask) => {
    const { id } = await mint(ask);
    await ask('DELETE', `/v2/api-keys/${id}`);
    await service.db.query(
      sql.unsafe`update trader_keys set revoked_at = revoked_at - interval '1 hour' where id = ${id}`,
    );
    return async (reader: Ask) => {
      const { body } = await reader('GET', '/v2/api-keys');
      return body.find((key: { id: string }) => key.id === id).revoked_at;
    };
  };
  const trades = async (key: string) =>
    (await service.ask('GET', `${TRADING}/balance`, { headers: { 'X-Api-Key': key } })).status === 200;
  const isAlive = async (ask: Ask) => (await ask('GET', '/v2/auth/me')).status === 200;
  const enroll = async (ask: Ask) => String((await ask('POST', '/v2/auth/totp/enroll')).body.secret);
  const confirm = (ask: Ask, seed: string, steps = 0) =>
    ask('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(seed, steps) } });
  const subjects = (owner: TestTrader) => service.mailbox.mails(owner.user.email).map(({ subject }) => subject);
  const mailed = (owner: TestTrader, pattern: RegExp) =>
    until(`a mail ${pattern}`, () => subjects(owner).some((subject) => pattern.test(subject)));
  const reset = async (owner: TestTrader, more: object = {}) => {
    const { email } = owner.user;
    await service.tenant.ask('POST', '/v2/auth/password-reset/request', { json: { email } });
    const mail = await until('a reset', () =>
      service.mailbox.mails(email).find(({ text }) => resetTokenIn(text) !== ''),
    );
    const json = { email, token: resetTokenIn(mail.text), new_password: NEW_PASSWORD, ...more };
    return service.tenant.ask('POST', '/v2/auth/password-reset/confirm', { json });
  };

  it('ends by a reset the sessions, keys and pending authenticator that the thief made', async () => {
    const owner = await service.propTrader();
    const thief = await logIn(owner);
    const key = await mint(thief.ask);
    const seed = await enroll(thief.ask);
    const neighbour = await service.propTrader();
    const neighbours = await mint(neighbour.ask);
    const earlier = await revokedBefore(thief.ask);
    const revokedAt = await earlier(thief.ask);

    const { status } = await reset(owner);
    const again = await logIn(owner, NEW_PASSWORD);

    expect(await earlier(again.ask)).to.equal(revokedAt);
    expect([await isAlive(neighbour.ask), await trades(neighbours.api_key)]).to.deep.equal([true, true]);

    expect(status).to.equal(200);
    expect([await isAlive(thief.ask), await trades(key.api_key)]).to.deep.equal([false, false]);
    expect((await confirm(again.ask, seed)).body.error.code).to.equal('V2_MFA_NOT_STARTED');
  });

  it('resets by the mailed token at its own app, for its own address, in time and once', async () => {
    const owner = await service.propTrader();
    const { email } = owner.user;
    const neighbour = await service.user(service.tenant);
    const other = await service.app();
    await service.tenant.ask('POST', '/v2/auth/password-reset/request', { json: { email } });
    const mail = await until('a token', () =>
      service.mailbox.mails(email).find(({ text }) => resetTokenIn(text) !== ''),
    );
    const json = { email, token: resetTokenIn(mail.text), new_password: NEW_PASSWORD };
    const confirmed = async (app: TestApp, more: object = {}) =>
      (await app.ask('POST', '/v2/auth/password-reset/confirm', { json: { ...json, ...more } })).body.error?.code ??
      'reset';
    const inAnHour = (by: string) =>
      service.db.query(
        sql.unsafe`update password_resets set expires_at = expires_at + ${by}::interval where email = ${email}`,
      );

    expect(await confirmed(other)).to.equal('V2_OTP_INVALID');
    expect(await confirmed(service.tenant, { email: neighbour.email })).to.equal('V2_OTP_INVALID');
    expect(await confirmed(service.tenant, { token: `${json.token}x` })).to.equal('V2_OTP_INVALID');
    await inAnHour('-1 hour');
    expect(await confirmed(service.tenant)).to.equal('V2_OTP_INVALID');
    await inAnHour('1 hour');
    expect(await confirmed(service.tenant)).to.equal('reset');
    expect(await confirmed(service.tenant)).to.equal('V2_OTP_INVALID');
    expect((await neighbour.ask('GET', '/v2/auth/me')).status).to.equal(200);
  });

  it('may keep by a reset the keys from before the last proof of the password, and no later one', async () => {
    const owner = await service.propTrader();
    const old = await mint(owner.ask);
    const thief = await logIn(owner);
    const stolen = await mint(thief.ask);

    await reset(owner, { revoke_api_keys: false });

    expect([await trades(old.api_key), await trades(stolen.api_key)]).to.deep.equal([true, false]);
  });

  it('ends by a reset every key, unless it asks for less', async () => {
    const owner = await service.propTrader();
    const old = await mint(owner.ask);
    await logIn(owner); // proves the password after the key was made

    await reset(owner);

    expect(await trades(old.api_key)).to.equal(false);
  });

  for (const by of ['id', 'token'] as const) {
    it(`ends what was made in a session by removing it from another one by its ${by}, and nothing else`, async () => {
      const owner = await service.propTrader();
      const trusted = await logIn(owner);
      const kept = await mint(trusted.ask);
      const thief = await logIn(owner);
      const stolen = await mint(thief.ask);
      const seed = await enroll(thief.ask);
      const { body: sessions } = await thief.ask('GET', '/v2/auth/sessions');
      const { session_id } = sessions.find(({ current }: { current: boolean }) => current);
      const earlier = await revokedBefore(thief.ask);
      const revokedAt = await earlier(trusted.ask);

      await trusted.ask('POST', '/v2/auth/sessions/revoke', {
        json: by === 'id' ? { session_id } : { session_token: thief.session },
      });

      expect([await isAlive(thief.ask), await trades(stolen.api_key)]).to.deep.equal([false, false]);
      expect([await isAlive(trusted.ask), await trades(kept.api_key)]).to.deep.equal([true, true]);
      expect(await earlier(trusted.ask)).to.equal(revokedAt);
      expect((await confirm(trusted.ask, seed)).body.error.code).to.equal('V2_MFA_NOT_STARTED');
    });
  }

  it('keeps the keys of a session that only logs out', async () => {
    const owner = await service.propTrader();
    const trusted = await logIn(owner);
    const key = await mint(trusted.ask);

    await trusted.ask('POST', '/v2/auth/sessions/revoke');

    expect([await isAlive(trusted.ask), await trades(key.api_key)]).to.deep.equal([false, true]);
  });

  it('learns by mail of a new key, and of an authenticator that was added or turned off', async () => {
    const owner = await service.propTrader();
    await withinOneStep();
    const seed = await enroll(owner.ask);

    await mint(owner.ask, 'my <b>bot</b>');
    await mailed(owner, /An API key was created/);
    await confirm(owner.ask, seed, -1);
    await mailed(owner, /An authenticator was added/);
    await owner.ask('POST', '/v2/auth/totp/disable', { json: { code: codeOf(seed) } });
    await mailed(owner, /was turned off/);

    const created = service.mailbox.mails(owner.user.email).find(({ subject }) => /API key/.test(subject));
    expect(created?.text).to.include('my <b>bot</b>');
    expect(created?.html).not.to.include('<b>bot');
  });

  it('proves the password again within 5 minutes where the app asks for it', async () => {
    const owner = await service.propTrader();
    const admin = await service.admin();
    const settings = { json: { require_reauthentication: true } };
    const { body: app } = await admin.ask('PATCH', `/v2/admin/apps/${service.tenant.appId}`, settings);
    const writes = (ask: Ask) => [
      () => ask('POST', '/v2/api-keys', { json: { label: 'bot' } }),
      () => ask('POST', '/v2/auth/totp/enroll'),
      () => ask('POST', '/v2/auth/totp/confirm', { json: { code: '000000' } }),
      () => ask('POST', '/v2/auth/totp/disable', { json: { code: '000000' } }),
    ];
    const codes = async (ask: Ask) => {
      const found: string[] = [];
      for (const write of writes(ask)) found.push((await write()).body.error?.code ?? 'ok');
      return found;
    };
    const trusted = await logIn(owner);

    const unproven = await codes(owner.ask); // this session was opened by the mailed code
    const afterLogIn = await mint(trusted.ask);
    await service.db.query(sql.unsafe`update user_sessions set proven_at = proven_at - interval '6 minutes'`);
    const late = await codes(trusted.ask);
    const wrong = await trusted.ask('POST', '/v2/auth/reauthenticate', { json: { password: 'wrong horse battery' } });
    const still = await codes(trusted.ask);
    const right = await trusted.ask('POST', '/v2/auth/reauthenticate', { json: { password: PASSWORD } });
    await admin.ask('PATCH', `/v2/admin/apps/${service.tenant.appId}`, { json: { require_reauthentication: false } });

    expect(app.require_reauthentication).to.equal(true);
    for (const denied of [unproven, late, still])
      expect(denied).to.deep.equal(Array(4).fill('V2_REAUTHENTICATION_REQUIRED'));
    expect(afterLogIn.id).to.match(/^key_/);
    expect(wrong.body.error.code).to.equal('V2_INVALID_CREDENTIALS');
    expect(right.body.reauthenticated_at).to.match(/^\d{4}-/);
    expect((await mint(trusted.ask)).id).to.match(/^key_/);
  });

  it('gets back in by an operator who removes the authenticator of the thief, with a reason and a mail', async () => {
    const owner = await service.propTrader();
    const thief = await logIn(owner);
    await confirm(thief.ask, await enroll(thief.ask));
    const admin = await service.admin();
    const remove = (json: object) =>
      admin.ask('POST', `/v2/admin/users/${owner.user.userId}/remove-authenticator`, { json });

    await service.db.query(sql.unsafe`update users set password_proven_at = now() where email = ${owner.user.email}`);
    await reset(owner);
    const lockedOut = await logIn(owner, NEW_PASSWORD);
    const silent = await remove({});
    const done = await remove({ reason: 'passport checked on the phone' });
    const again = await remove({ reason: 'passport checked on the phone' });
    const audit = await admin.ask('GET', `/v2/admin/audit?subject=${owner.user.userId}`);

    expect(lockedOut.session).to.equal('undefined');
    expect(silent.status).to.equal(422);
    expect(done.body).to.deep.equal({ enabled: false });
    expect(again.body.error.code).to.equal('V2_MFA_NOT_STARTED');
    expect((await logIn(owner, NEW_PASSWORD)).session).to.match(/^sess_/);
    expect(audit.body.map(({ action }: { action: string }) => action)).to.include('user.remove_authenticator');
    expect(JSON.stringify(audit.body)).to.include('passport checked');
    await mailed(owner, /was removed/);
  });
});
