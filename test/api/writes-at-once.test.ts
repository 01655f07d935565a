import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { sql } from 'slonik';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { z } from 'zod';
import { setAppActive } from '../../src/capabilities/admin/apps/commands.ts';
import type { AppId } from '../../src/kernel/ids.ts';
import { caller } from '../support/caller.ts';
import { ENDPOINTS } from '../support/endpoints.ts';
import {
  atOnce,
  bearer,
  codeOf,
  type Identity,
  PASSWORD,
  startIdentity,
  statuses,
  type TestApp,
  withinOneStep,
} from '../support/identity.ts';
import { until } from '../support/processes.ts';

const HOUR_MS = 3_600_000;
const TIMES = 20;

const WAITING = sql.type(z.object({}))`
  select from pg_stat_activity a where a.wait_event_type = 'Lock' and a.query ~ 'select (log_in|reauthenticate)[(]'`;
const OF_APPS = sql.type(z.object({}))`
  select from pg_stat_activity a where a.wait_event_type = 'Lock' and a.query ~ '(insert into app_tokens|update apps)'`;

/** Requests without an Idempotency-Key: each response is about its own write, and a rejected one has written nothing. */
describe('two writes to one thing at once', () => {
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity();
    app = await service.app(['api', 'webhooks']);
  });
  after(() => service.stop());

  it('each show what they wrote: changes of an endpoint', async () => {
    const { body } = await app.ask('POST', ENDPOINTS, { json: { url: 'https://example.com/hook', events: ['*'] } });

    const replies = await atOnce(TIMES, (n) =>
      app.ask('PATCH', `${ENDPOINTS}/${body.id}`, { json: { description: `change ${n}` } }),
    );

    expect(replies.map((reply) => reply.body.description)).to.deep.equal(replies.map((_, n) => `change ${n}`));
  });

  it('each show what they wrote: keys of a wallet, and the end of its enrollment', async () => {
    const partner = await service.partner();
    const owner = caller(service.url, partner.key);
    const wallet = privateKeyToAddress(generatePrivateKey()).toLowerCase();
    const keys = Array.from({ length: TIMES }, () => generatePrivateKey());
    for (const [n, key] of keys.entries())
      service.exchange.approveAgent(wallet, privateKeyToAddress(key), `agent ${n}`, Date.now() + HOUR_MS);

    const [enrolled, revoked] = await Promise.all([
      atOnce(TIMES, (n) => owner.post('/v1/sessions', { ex_wallet: wallet, private_key: keys[n] })),
      atOnce(TIMES, () => owner.delete(`/v1/sessions/${wallet}`)),
    ]);

    expect(enrolled.map(({ body }) => body.agent_address ?? JSON.stringify(body))).to.deep.equal(
      keys.map((key) => privateKeyToAddress(key).toLowerCase()),
    );
    expect(revoked.map(({ status }) => status)).to.not.include(500);
  });

  it('is not written at all if a part of it fails: a signature whose receipt cannot be mailed', async () => {
    const user = await service.user(app);
    await service.db.query(sql.unsafe`
      create function lose_receipt() returns trigger language plpgsql as ${sql.literalValue(`
        begin
          if new.template = 'agreement_signed' then raise exception 'lost'; end if;
          return new;
        end`)}`);
    await service.db.query(
      sql.unsafe`create trigger lose_receipt before insert on mails for each row execute function lose_receipt()`,
    );

    const json = { agreement_version: '2026-01', signature_name: 'Ada' };
    const replies = await atOnce(1, () => user.ask('POST', '/v2/agreements/sign', { json }));
    await service.db.query(sql.unsafe`drop trigger lose_receipt on mails`);
    const { body } = await user.ask('GET', '/v2/agreements/status');

    expect(statuses(replies)).to.deep.equal({ 500: 1 });
    expect(body.signed).to.equal(false);
  });

  const actor = { adminId: null, address: '', requestId: '' };
  it('leave no token of an app that was disabled at that moment, also once it is enabled again', async () => {
    const other = await service.app();
    const appId = other.appId as AppId; // as: the service made it
    const asked = await service.db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select from apps where id = ${appId} for update`);
      const token = service.token(other);
      await sleep(300); // its secret has been checked by now
      await setAppActive(tx, appId, { active: false }, actor);
      return { token };
    });
    const { status, body } = await asked.token;
    await setAppActive(service.db, appId, { active: true }, actor);

    const reply = await service.ask('GET', '/v2/apps/me', { headers: bearer(body.access_token ?? 'none') });
    expect([status, reply.status]).to.deep.equal([401, 401]);
  });

  it('leave no token that was being issued as its app was disabled', async () => {
    const other = await service.app();
    const appId = other.appId as AppId; // as: the service made it
    const toWait = (many: number) =>
      until(`${many} to wait`, async () => (await service.db.any(OF_APPS)).length === many);
    const [isHeld, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = service.db.transaction(async (tx) => {
      await tx.query(sql.unsafe`select from app_secrets where app_id = ${appId} for update`);
      isHeld.resolve();
      await isOver.promise;
    });
    await isHeld.promise;
    const token = service.token(other);
    await toWait(1); // it is written, and not committed
    const disabled = setAppActive(service.db, appId, { active: false }, actor);
    await toWait(2);
    isOver.resolve();
    const [{ body }] = await Promise.all([token, disabled, held]);
    await setAppActive(service.db, appId, { active: true }, actor);

    const reply = await service.ask('GET', '/v2/apps/me', { headers: bearer(body.access_token) });
    expect(reply.status).to.equal(401);
  });

  const ON = `totp_seed = 'seed', totp_enabled_at = now(), totp_step = 0`;
  const OFF = 'totp_seed = null, totp_enabled_at = null, totp_step = null';
  const OTHER_PASSWORD = `password_hash = overlay(password_hash placing 'AAAA' from 90)`;
  const WRONG = 'V2_INVALID_CREDENTIALS';
  for (const [what, hasCode, change, expected] of [
    ['that a code is needed, if an authenticator is set', false, ON, ['code', 'V2_MFA_INVALID']],
    ['that the password is wrong, if another one is set', false, OTHER_PASSWORD, [WRONG, WRONG]],
    ['that not the code is wrong, if another password is set', true, OTHER_PASSWORD, [WRONG, WRONG]],
    ['nothing of a code, if the authenticator is removed', true, OFF, [200, 200]],
  ] as const)
    it(`of one user: a log-in and a renewed proof say ${what} at that moment`, async () => {
      const { email, ask, userId } = await service.user(app);
      const { secret } = (await ask('POST', '/v2/auth/totp/enroll')).body;
      await withinOneStep();
      if (hasCode) await ask('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(secret, -1) } });
      const [isHeld, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const changed = service.db.transaction(async (tx) => {
        await tx.query({ ...sql.unsafe``, sql: `update users set ${change} where id = '${userId}'` });
        isHeld.resolve();
        await isOver.promise;
      });
      await isHeld.promise;
      const json = { password: PASSWORD, ...(hasCode && { totp_code: codeOf(secret) }) };
      const logIn = app.ask('POST', '/v2/auth/login', { json: { email, ...json } });
      const renewal = ask('POST', '/v2/auth/reauthenticate', { json });
      await until('both to wait', async () => (await service.db.any(WAITING)).length === 2);
      isOver.resolve();
      await changed;
      const replies = [await logIn, await renewal];

      const said = replies.map(({ status, body }) => (body.mfa_required ? 'code' : (body.error?.code ?? status)));
      expect(said).to.deep.equal(expected);
    });
});
