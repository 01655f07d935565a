import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { createAdmin, resetAdmin } from '../../src/capabilities/admin/commands.ts';
import {
  atOnce,
  codeOf,
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
  /** Allows the code of the current time step once more. */
  const rewind = (adminId: string) =>
    service.db.query(sql.unsafe`update admins set totp_step = totp_step - 3 where id = ${adminId}`);

  describe('logInAdmin', () => {
    it('opens a session as a cookie that no script can read and no other site can send', async () => {
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

    it('asks for a code only after the right password', async () => {
      const right = await logIn({ email: admin.email, password: PASSWORD });
      const wrong = await logIn({ email: admin.email, password: 'wrong horse battery' });
      const unknown = await logIn({ email: 'nobody@example.com', password: PASSWORD });

      expect(right.body).to.include({ totp_required: true, expires_at: null });
      expect(right.headers.getSetCookie()).to.deep.equal([]);
      expect(wrong.body.error.code).to.equal('V2_INVALID_CREDENTIALS');
      expect(unknown.body.error).to.deep.include({ code: 'V2_INVALID_CREDENTIALS', message: wrong.body.error.message });
    });

    it('accepts a code exactly once out of 100 concurrent uses', async () => {
      await withinOneStep();
      await rewind(admin.adminId);
      const json = { email: admin.email, password: PASSWORD, totp_code: codeOf(admin.seed) };

      const replies = await atOnce(100, () => logIn(json));

      const { 200: opened, 401: rejected = 0, 503: tooMany = 0 } = statuses(replies);
      expect(opened).to.equal(1);
      expect(rejected).to.be.above(0);
      expect(rejected + tooMany).to.equal(99); // operators' log-ins beyond the queue of hashes get 503
    });
  });

  describe('sessions', () => {
    it('only allow the enrollment of an authenticator until one is enrolled', async () => {
      const unenrolled = await service.admin(false);

      const rejected = [
        await unenrolled.ask('GET', '/v2/admin/me'),
        await unenrolled.ask('GET', '/v2/admin/apps'),
        await unenrolled.ask('POST', '/v2/admin/logout'),
      ];
      const enrolled = await unenrolled.ask('POST', '/v2/admin/totp/enroll');
      const wrong = await unenrolled.ask('POST', '/v2/admin/totp/confirm', {
        json: { code: wrongCode(enrolled.body.secret) },
      });
      const json = { code: codeOf(enrolled.body.secret) };
      const confirmed = await atOnce(20, () => unenrolled.ask('POST', '/v2/admin/totp/confirm', { json }));
      const again = await unenrolled.ask('POST', '/v2/admin/totp/enroll');

      for (const { status, body } of rejected)
        expect([status, body.error.code]).to.deep.equal([403, 'V2_TOTP_REQUIRED']);
      expect(enrolled.body.otpauth_uri).to.match(/^otpauth:\/\/totp\//);
      expect(wrong.body.error.code).to.equal('V2_MFA_INVALID');
      expect(confirmed.filter(({ status }) => status === 200)).to.have.length(1);
      expect(again.body.error.code).to.equal('V2_MFA_ALREADY_ENABLED');
      expect((await unenrolled.ask('GET', '/v2/admin/me')).body).to.include({
        totp_enrolled: true,
        role: 'admin',
        is_superadmin: true,
      });
    });

    it('opened by the password alone end when an authenticator is confirmed, except for the confirming session', async () => {
      const unenrolled = await service.admin(false);
      const json = { email: unenrolled.email, password: PASSWORD };
      const other = await service.ask('POST', '/v2/admin/login', { json });
      const thief = { headers: { Cookie: other.headers.getSetCookie()[0]?.split(';')[0] ?? '' } };
      const { body } = await unenrolled.ask('POST', '/v2/admin/totp/enroll');

      await unenrolled.ask('POST', '/v2/admin/totp/confirm', { json: { code: codeOf(body.secret) } });

      expect(other.status).to.equal(200);
      expect((await service.ask('GET', '/v2/admin/me', thief)).body.error.code).to.equal('V2_ADMIN_SESSION_INVALID');
      expect((await unenrolled.ask('GET', '/v2/admin/me')).status).to.equal(200);
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

    it('end at logout, after 30 idle minutes, after 12 hours, and when the operator is disabled', async () => {
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

  describe('audit', () => {
    it('records every change with its operator and request', async () => {
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

    it('is append-only', async () => {
      const rejected = await Promise.all(
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

      for (const error of rejected) expect(String(error?.cause?.message ?? error?.message)).to.match(/append only/);
    });
  });

  it('receive a new password and authenticator by script, which ends their sessions', async () => {
    const fixture = await service.admin();

    const known = await resetAdmin(service.db, fixture.email, 'a new horse battery', true);
    const login = await logIn({ email: fixture.email, password: 'a new horse battery' });

    expect(known).to.be.a('string');
    expect((await fixture.ask('GET', '/v2/admin/me')).status).to.equal(401);
    expect(login.body).to.include({ totp_enrolled: false, totp_required: false });
    expect(await resetAdmin(service.db, 'nobody@example.com', PASSWORD, false)).to.equal(null);
    const taken = await createAdmin(service.db, fixture.email, PASSWORD, 'admin').catch((error) => error);
    expect(taken).to.be.instanceOf(Error);
  });
});

const entryRow = z.object({ action: z.string(), admin_id: z.string(), request_id: z.string() });

const wrongCode = (seed: string) => {
  const right = [-1, 0, 1].map((steps) => codeOf(seed, steps));
  return ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? '';
};
