import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { createAdmin, resetAdmin } from '../../src/admin/intents.ts';
import {
  asking,
  atOnce,
  bearer,
  codeOf,
  fresh,
  type Identity,
  PASSWORD,
  startIdentity,
  statuses,
  type TestAdmin,
  withinOneStep,
} from '../support/identity.ts';

describe('operators', () => {
  let service: Identity;
  let admin: TestAdmin;
  before(async () => {
    service = await startIdentity();
    admin = await service.admin();
  });
  after(() => service.stop());

  const logIn = (json: object) => service.ask('POST', '/v2/admin/login', { json });
  /** Lets a code of this very step be accepted once more. */
  const rewind = (adminId: string) =>
    service.db.query(sql.unsafe`update admins set totp_step = totp_step - 3 where id = ${adminId}`);

  describe('logInAdmin', () => {
    it('opens a session as a cookie no script can read and no other site can send', async () => {
      await withinOneStep();
      await rewind(admin.adminId);

      const { status, body, headers } = await logIn({
        email: admin.email,
        password: PASSWORD,
        totp_code: codeOf(admin.seed),
      });
      const cookie = headers.getSetCookie()[0] ?? '';

      expect(status).to.equal(200);
      expect(body).to.include({ admin_id: admin.adminId, totp_required: false, totp_enrolled: true });
      expect(Date.parse(body.expires_at) - Date.now()).to.be.within(43_190_000, 43_201_000);
      expect(cookie).to.match(/^__Host-admin_session=adm_[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
      expect(JSON.stringify(body)).not.to.include('adm_');
    });

    it('asks for a code with the right password only', async () => {
      const right = await logIn({ email: admin.email, password: PASSWORD });
      const wrong = await logIn({ email: admin.email, password: 'wrong horse battery' });
      const unknown = await logIn({ email: 'nobody@example.com', password: PASSWORD });

      expect(right.body).to.include({ totp_required: true, expires_at: null });
      expect(right.headers.getSetCookie()).to.deep.equal([]);
      expect(wrong.body.error.code).to.equal('V2_INVALID_CREDENTIALS');
      expect(unknown.body.error).to.deep.include({ code: 'V2_INVALID_CREDENTIALS', message: wrong.body.error.message });
    });

    it('passes a code exactly once of a hundred times at once', async () => {
      await withinOneStep();
      await rewind(admin.adminId);
      const json = { email: admin.email, password: PASSWORD, totp_code: codeOf(admin.seed) };

      const replies = await atOnce(100, () => logIn(json));

      expect(statuses(replies)).to.deep.equal({ 200: 1, 401: 99 });
    });
  });

  describe('sessions', () => {
    it('are good for enrolling an authenticator and nothing else before one is enrolled', async () => {
      const newcomer = await service.admin(false);

      const refused = [
        await newcomer.ask('GET', '/v2/admin/me'),
        await newcomer.ask('GET', '/v2/admin/apps'),
        await newcomer.ask('POST', '/v2/admin/logout'),
      ];
      const enrolled = await newcomer.ask('POST', '/v2/admin/totp/enroll');
      const wrong = await newcomer.ask('POST', '/v2/admin/totp/confirm', {
        json: { code: wrongCode(enrolled.body.secret) },
      });
      const json = { code: codeOf(enrolled.body.secret) };
      const confirmed = await atOnce(20, () => newcomer.ask('POST', '/v2/admin/totp/confirm', { json }));
      const again = await newcomer.ask('POST', '/v2/admin/totp/enroll');

      for (const { status, body } of refused)
        expect([status, body.error.code]).to.deep.equal([403, 'V2_TOTP_REQUIRED']);
      expect(enrolled.body.otpauth_uri).to.match(/^otpauth:\/\/totp\//);
      expect(wrong.body.error.code).to.equal('V2_MFA_INVALID');
      expect(confirmed.filter(({ status }) => status === 200)).to.have.length(1);
      expect(again.body.error.code).to.equal('V2_MFA_ALREADY_ENABLED');
      expect((await newcomer.ask('GET', '/v2/admin/me')).body).to.include({
        totp_enrolled: true,
        is_superadmin: false,
      });
    });

    it('opened by the password alone end once an authenticator is confirmed, but for the one that confirmed it', async () => {
      const newcomer = await service.admin(false);
      const json = { email: newcomer.email, password: PASSWORD };
      const other = await service.ask('POST', '/v2/admin/login', { json });
      const thief = { headers: { Cookie: other.headers.getSetCookie()[0]?.split(';')[0] ?? '' } };
      const { body } = await newcomer.ask('POST', '/v2/admin/totp/enroll');

      await newcomer.ask('POST', '/v2/admin/totp/confirm', { json: { code: codeOf(body.secret) } });

      expect(other.status).to.equal(200);
      expect((await service.ask('GET', '/v2/admin/me', thief)).body.error.code).to.equal('V2_ADMIN_SESSION_INVALID');
      expect((await newcomer.ask('GET', '/v2/admin/me')).status).to.equal(200);
    });

    it('work by cookie for reads from anywhere, and for changes from pages of this service only', async () => {
      const byCookie = (method: string, origin?: string) =>
        service.ask(method, method === 'GET' ? '/v2/admin/me' : '/v2/admin/apps/app_aaaaaaaaaaaaaaaaaaaaaaa/enable', {
          headers: { Cookie: `other=1; ${admin.cookie}`, ...(origin && { Origin: origin }) },
        });

      expect((await byCookie('GET')).status).to.equal(200);
      expect((await byCookie('POST', service.url)).body.error.code).to.equal('V2_APP_UNKNOWN');
      expect((await byCookie('POST')).body.error.code).to.equal('FORBIDDEN_ORIGIN');
      expect((await byCookie('POST', 'https://evil.example')).body.error.code).to.equal('FORBIDDEN_ORIGIN');
      expect((await byCookie('POST', service.url.replace('http:', 'https:'))).body.error.code).to.equal(
        'FORBIDDEN_ORIGIN',
      );
      expect((await byCookie('POST', 'null')).body.error.code).to.equal('FORBIDDEN_ORIGIN');
    });

    it('end at logout, after thirty idle minutes, after twelve hours, and when the operator is disabled', async () => {
      const [loggedOut, idle, old, disabled] = await atOnce(4, () => service.admin());
      const age = (who: TestAdmin | undefined, column: string, by: string) =>
        service.db.query(sql.unsafe`
          update admin_sessions
          set ${sql.identifier([column])} = ${sql.identifier([column])} - ${by}::interval
          where admin_id = ${who?.adminId ?? ''}`);

      const reply = await loggedOut?.ask('POST', '/v2/admin/logout');
      await age(idle, 'seen_at', '30 minutes');
      await age(old, 'expires_at', '12 hours');
      await service.db.query(sql.unsafe`update admins set disabled_at = now() where id = ${disabled?.adminId ?? ''}`);

      expect(reply?.headers.getSetCookie()[0]).to.include('Max-Age=0');
      for (const who of [loggedOut, idle, old, disabled]) {
        expect((await who?.ask('GET', '/v2/admin/me'))?.body.error.code).to.equal('V2_ADMIN_SESSION_INVALID');
      }
    });
  });

  describe('apps', () => {
    const create = (json: object) => admin.ask('POST', '/v2/admin/apps', { json });

    it('are made with a secret shown once, listed, and changed', async () => {
      const slug = fresh('made');
      const made = await create({
        name: 'Made',
        slug,
        entity_hotkey: fresh('hotkey'),
        network_api_key: 'miner-key',
        scopes: ['webhooks'],
      });
      const path = `/v2/admin/apps/${made.body.app_id}`;

      const changed = await admin.ask('PATCH', path, {
        json: { name: 'Renamed', verification_level: 'full', connect_return_url: 'https://example.com/back' },
      });
      const cleared = await admin.ask('PATCH', path, {
        json: { connect_return_url: null, allowed_scopes: ['api', 'reads'] },
      });
      const listed = await admin.ask('GET', '/v2/admin/apps');

      expect(made.body).to.include({ client_id: made.body.app_id, slug, name: 'Made' });
      expect(changed.body).to.include({
        name: 'Renamed',
        verification_level: 'full',
        connect_return_url: 'https://example.com/back',
        has_network_key: true,
      });
      expect(cleared.body).to.deep.include({
        name: 'Renamed',
        connect_return_url: null,
        allowed_scopes: ['api', 'reads'],
      });
      expect(listed.body.find(({ app_id }: { app_id: string }) => app_id === made.body.app_id)).to.deep.equal(
        cleared.body,
      );
      const stored = await service.db.oneFirst(sql.unsafe`select a::text from apps a where id = ${made.body.app_id}`);
      expect(stored).not.to.include(Buffer.from('miner-key').toString('hex'));
    });

    it('refuse a taken slug or identity, half of the network credentials, and unknown ids', async () => {
      const slug = fresh('taken');
      const hotkey = fresh('hotkey');
      await create({ name: 'First', slug, entity_hotkey: hotkey, network_api_key: 'key' });

      const codes = [
        await create({ name: 'Second', slug }),
        await create({ name: 'Second', slug: fresh('free'), entity_hotkey: hotkey, network_api_key: 'key' }),
        await create({ name: 'Second', slug: fresh('free'), entity_hotkey: fresh('hotkey') }),
        await create({ name: 'Second', slug: fresh('free'), network_api_key: 'key' }),
        await admin.ask('PATCH', '/v2/admin/apps/app_aaaaaaaaaaaaaaaaaaaaaaa', { json: { name: 'None' } }),
        await admin.ask('POST', '/v2/admin/apps/app_aaaaaaaaaaaaaaaaaaaaaaa/rotate-secret'),
      ].map(({ body }) => body.error.code);

      expect(codes).to.deep.equal([
        'V2_APP_SLUG_TAKEN',
        'V2_APP_HOTKEY_TAKEN',
        'V2_APP_CREDENTIALS_MISMATCH',
        'V2_APP_CREDENTIALS_MISMATCH',
        'V2_APP_UNKNOWN',
        'V2_APP_UNKNOWN',
      ]);
    });

    it('lose their tokens at once when disabled, and do not get them back when enabled', async () => {
      const app = await service.app();

      const disabled = await admin.ask('POST', `/v2/admin/apps/${app.appId}/disable`);
      const whileDisabled = [await app.ask('GET', '/v2/oauth/me'), await service.token(app)];
      const enabled = await admin.ask('POST', `/v2/admin/apps/${app.appId}/enable`);

      expect(disabled.body.active).to.equal(false);
      expect(whileDisabled.map(({ status }) => status)).to.deep.equal([401, 401]);
      expect(enabled.body).to.deep.include({ active: true, disabled_at: null });
      expect((await app.ask('GET', '/v2/oauth/me')).status).to.equal(401);
      expect((await service.token(app)).status).to.equal(200);
    });

    it('lose a scope taken away with the tokens already issued', async () => {
      const app = await service.app(['api', 'webhooks']);

      await admin.ask('PATCH', `/v2/admin/apps/${app.appId}`, { json: { allowed_scopes: ['webhooks'] } });

      expect((await app.ask('GET', '/v2/oauth/me')).body.scopes).to.deep.equal(['webhooks']);
      expect((await app.ask('POST', '/v2/apps/me/rotate-secret')).body.error.code).to.equal('V2_SCOPE_MISSING');
    });

    it('get a new secret, the one before living on as asked', async () => {
      const app = await service.app();

      const rotated = await admin.ask('POST', `/v2/admin/apps/${app.appId}/rotate-secret`, {
        json: { overlap_seconds: 0 },
      });

      expect((await service.token(app)).status).to.equal(401);
      expect((await service.token({ ...app, secret: rotated.body.client_secret })).status).to.equal(200);
    });
  });

  describe('partners', () => {
    const orderOf = (key: string) =>
      asking(service.url, { ...bearer(key) })('GET', '/v1/intents/0190aaaa-0000-7000-8000-000000000000');

    it('are made, given keys, and lose them', async () => {
      const made = await admin.ask('POST', '/v2/admin/partners', { json: { name: 'Partner', label: 'first' } });
      const path = `/v2/admin/partners/${made.body.partner_id}`;
      const second = await admin.ask('POST', `${path}/keys`, { json: { label: 'second' } });
      const good = [await orderOf(made.body.key), await orderOf(second.body.key)];

      const revoked = await admin.ask('DELETE', `/v2/admin/partner-keys/${made.body.key_id}`);
      const again = await admin.ask('DELETE', `/v2/admin/partner-keys/${made.body.key_id}`);
      const afterRevoking = await orderOf(made.body.key);
      const disabled = await admin.ask('POST', `${path}/disable`);
      const whileDisabled = await orderOf(second.body.key);
      await admin.ask('POST', `${path}/enable`);
      const keys = await admin.ask('GET', `${path}/keys`);
      const partners = await admin.ask('GET', '/v2/admin/partners');

      expect(good.map(({ status }) => status)).to.deep.equal([404, 404]);
      expect(revoked.body).to.deep.equal({ revoked: true });
      expect(again.body.error.code).to.equal('V2_PARTNER_KEY_UNKNOWN');
      expect(afterRevoking.status).to.equal(401);
      expect(disabled.body).to.include({ active: false, live_keys: 1 });
      expect(whileDisabled.status).to.equal(401);
      expect((await orderOf(second.body.key)).status).to.equal(404);
      expect(keys.body.map(({ label }: { label: string }) => label)).to.deep.equal(['first', 'second']);
      expect(JSON.stringify(keys.body)).not.to.include(second.body.key);
      expect(partners.body.map(({ partner_id }: { partner_id: string }) => partner_id)).to.include(
        made.body.partner_id,
      );
      expect((await admin.ask('GET', '/v2/admin/partners/ptn_aaaaaaaaaaaaaaaaaaaaaaa/keys')).body.error.code).to.equal(
        'V2_PARTNER_UNKNOWN',
      );
    });
  });

  describe('audit', () => {
    it('holds every change with its operator and request', async () => {
      const app = await service.app();
      const { headers } = await admin.ask('POST', `/v2/admin/apps/${app.appId}/disable`);

      const entries = await service.db.any(
        sql.type(
          entryRow,
        )`select action, admin_id, request_id from admin_audit where subject = ${app.appId} order by id`,
      );

      expect(entries.map(({ action }) => action)).to.deep.equal(['app.create', 'app.disable']);
      expect(entries[1]).to.deep.include({ admin_id: admin.adminId, request_id: headers.get('x-request-id') });
    });

    it('can be added to and nothing else', async () => {
      const refused = await Promise.all(
        [
          sql.unsafe`update admin_audit set action = 'nothing'`,
          sql.unsafe`delete from admin_audit`,
          sql.unsafe`truncate admin_audit`,
        ].map((statement) =>
          service.db.query(statement).then(
            () => null,
            (error) => error,
          ),
        ),
      );

      for (const error of refused) expect(String(error?.cause?.message ?? error?.message)).to.match(/append only/);
    });
  });

  it('are given a new password and authenticator by script, which ends their sessions', async () => {
    const own = await service.admin();

    const known = await resetAdmin(service.db, own.email, 'a new horse battery', true);
    const login = await logIn({ email: own.email, password: 'a new horse battery' });

    expect(known).to.equal(true);
    expect((await own.ask('GET', '/v2/admin/me')).status).to.equal(401);
    expect(login.body).to.include({ totp_enrolled: false, totp_required: false });
    expect(await resetAdmin(service.db, 'nobody@example.com', PASSWORD, false)).to.equal(false);
    const taken = await createAdmin(service.db, own.email, PASSWORD, false).catch((error) => error);
    expect(taken).to.be.instanceOf(Error);
  });
});

const entryRow = z.object({ action: z.string(), admin_id: z.string(), request_id: z.string() });

const wrongCode = (seed: string) => {
  const right = [-1, 0, 1].map((steps) => codeOf(seed, steps));
  return ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? '';
};
