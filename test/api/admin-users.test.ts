import { expect } from 'chai';
import { sql } from 'slonik';
import { appForPayouts, earner } from '../support/foreign.ts';
import { asking, bearer, fresh, PASSWORD, type TestAdmin, type TestApp } from '../support/identity.ts';
import { checkOut } from '../support/money.ts';
import { startTrading, type Trading } from '../support/trading.ts';

const NOBODY = `usr_${'n'.repeat(22)}`;
const why = { json: { reason: 'the phone was stolen' } };

describe('a user as operators see it', function () {
  this.timeout(30_000);
  let service: Trading;
  let operator: TestAdmin;
  let app: TestApp;
  before(async () => {
    service = await startTrading();
    operator = await service.admin();
    app = await appForPayouts(service);
  });
  after(() => service.stop());

  const read = (userId: string) => operator.ask('GET', `/v2/admin/users/${userId}`);
  const end = (userId: string, json: object) =>
    operator.ask('POST', `/v2/admin/users/${userId}/end-sessions`, { json });
  const logIn = async ({ email }: { email: string }) => {
    const { body } = await app.ask('POST', '/v2/auth/login', { json: { email, password: PASSWORD } });
    return asking(service.url, { ...bearer(app.token), 'X-Session-Token': body.session_token });
  };
  const isOpen = async (ask: TestAdmin['ask']) => (await ask('GET', '/v2/auth/me')).status === 200;

  describe('getUserRecord', () => {
    it('shows accounts, identity verification, payments, payouts and open sessions', async () => {
      const user = await earner(service, app);
      const { payment_id } = await checkOut(user.ask);

      const { status, body } = await read(user.userId);

      expect(status).to.equal(200);
      expect(body).to.include({ user_id: user.userId, app_id: app.appId, app_name: 'Example app', email: user.email });
      expect(body).to.include({ email_verified: true, has_password: true, authenticator_enabled_at: null });
      expect(body.identity_verification).to.include({ session_id: `vs_${user.userId}`, status: 'verified' });
      expect(body.payout_account).to.include({ processor_account_id: user.connect, payouts_enabled: true });
      expect(body.prop_accounts).to.have.length(1);
      expect(body.prop_accounts[0]).to.include({ id: user.account, status: 'funded', payment_id: null });
      expect(body.payments).to.have.length(1);
      expect(body.payments[0]).to.include({ payment_id, amount_cents: 19_900, held_cents: 0 });
      expect(body.payouts).to.have.length(1);
      expect(body.payouts[0]).to.include({ payout_id: user.payout, status: 'pending', prop_account_id: user.account });
      expect(body.sessions).to.have.length(1);
      expect(body.sessions[0].address).to.be.a('string');
    });

    it('shows a user with nothing, and no secret', async () => {
      const user = await service.user(app);
      const { body: enrolled } = await user.ask('POST', '/v2/auth/totp/enroll');

      const { body } = await read(user.userId);

      const { identity_verification, payout_account, prop_accounts, payments, payouts } = body;
      expect([identity_verification, payout_account, prop_accounts, payments, payouts]).to.deep.equal([
        null,
        null,
        [],
        [],
        [],
      ]);
      const text = JSON.stringify(body);
      for (const secret of [user.session, enrolled.secret, 'argon2', 'digest', 'seed'])
        expect(text).not.to.include(secret);
    });

    it('shows the newest 50 of each kind', async () => {
      const user = await service.user(app);
      await service.db.query(sql.unsafe`
        insert into user_sessions (id, digest, user_id, expires_at, created_at)
        select 'uss_many' || n, decode(md5(${user.userId} || n), 'hex'), ${user.userId}, now() + interval '1 day', now() - make_interval(mins => n)
        from generate_series(1, 60) n`);

      const { body } = await read(user.userId);

      expect(body.sessions).to.have.length(50);
      expect(body.sessions.at(-1).session_id).to.equal('uss_many49');
    });

    it('returns 404 for an unknown user', async () => {
      const { status, body } = await read(NOBODY);

      expect([status, body.error.code]).to.deep.equal([404, 'V2_USER_UNKNOWN']);
    });
  });

  describe('endUserSessions', () => {
    it('ends one session with the trader keys made in it, or all, and records the reason', async () => {
      const user = await earner(service, app);
      const thief = await logIn(user);
      const { body: key } = await thief('POST', '/v2/api-keys', {
        json: { label: 'bot', prop_account_id: user.account },
      });
      const [{ session_id }] = (await read(user.userId)).body.sessions; // the newest: the thief's

      const one = await end(user.userId, { ...why.json, session_id });
      const afterOne = [await isOpen(thief), await isOpen(user.ask)];
      const keys = await user.ask('GET', '/v2/api-keys');
      const all = await end(user.userId, why.json);

      expect(one.body).to.deep.equal({ ended: 1 });
      expect(afterOne).to.deep.equal([false, true]);
      expect(keys.body.find(({ id }: { id: string }) => id === key.id).revoked_at).to.be.a('string');
      expect(all.body).to.deep.equal({ ended: 1 });
      expect(await isOpen(user.ask)).to.equal(false);
      expect((await read(user.userId)).body.sessions).to.deep.equal([]);
      const { body: stored } = await operator.ask('GET', `/v2/admin/audit?subject=${user.userId}`);
      expect(
        stored.map(({ action, detail }: { action: string; detail: object }) => ({ action, ...detail })),
      ).to.deep.equal([
        { action: 'user.end_sessions', why: why.json.reason, ended: 1 },
        { action: 'user.end_sessions', why: why.json.reason, ended: 1, session_id },
      ]);
    });

    it('ends nothing of another user, and says so of an unknown user or session', async () => {
      const [user, other] = [await service.user(app), await service.user(app)];
      const [{ session_id }] = (await read(other.userId)).body.sessions;

      const replies = [
        await end(user.userId, { ...why.json, session_id }),
        await end(user.userId, { ...why.json, session_id: `uss_${'n'.repeat(22)}` }),
        await end(NOBODY, why.json),
        await end(user.userId, {}),
      ];

      expect(replies.map(({ body }) => body.error.code)).to.deep.equal([
        'V2_SESSION_UNKNOWN',
        'V2_SESSION_UNKNOWN',
        'V2_USER_UNKNOWN',
        'INVALID_REQUEST',
      ]);
      expect([await isOpen(user.ask), await isOpen(other.ask)]).to.deep.equal([true, true]);
    });

    it('ends nothing twice under one key', async () => {
      const user = await service.user(app);
      const headers = { 'Idempotency-Key': fresh('end') };
      const path = `/v2/admin/users/${user.userId}/end-sessions`;

      const replies = [
        await operator.ask('POST', path, { ...why, headers }),
        await operator.ask('POST', path, { ...why, headers }),
      ];

      expect(replies.map(({ body }) => body)).to.deep.equal([{ ended: 1 }, { ended: 1 }]);
    });
  });
});
