import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { sealer } from '../../src/kernel/seal.ts';
import { codeOf, type Data, type Identity, PASSWORD, startIdentity, type TestAdmin } from '../support/identity.ts';

const PER_MINUTE = 10;
const CODES_PER_MINUTE = 5;
const CHALLENGE = 'Session realm="v2 operators"';

describe('log-ins of operators', () => {
  let service: Identity;
  let auditor: TestAdmin;
  before(async () => {
    service = await startIdentity({ THROTTLE_SCALE: '1' }, false);
    auditor = await service.admin();
  });
  after(() => service.stop());
  beforeEach(() => service.db.query(sql.unsafe`delete from throttles`));

  const logIn = (email: string, more: object = {}) =>
    service.ask('POST', '/v2/admin/login', { json: { email, password: PASSWORD, ...more } });
  const guess = async (email: string, times: number) => {
    const replies: Data[] = [];
    for (let n = 0; n < times; n += 1) replies.push(await logIn(email, { password: `wrong horse ${n}` }));
    return replies.map(({ status }) => status);
  };
  /** A code that is right and was not used. */
  const right = async ({ adminId, seed }: TestAdmin) => {
    await service.db.query(sql.unsafe`update admins set totp_step = 0 where id = ${adminId}`);
    return codeOf(seed);
  };
  const wrongCode = (seed: string) => {
    const near = Array.from({ length: 9 }, (_, n) => codeOf(seed, n - 4));
    return ['000000', '111111', '222222', '333333'].find((code) => !near.includes(code)) ?? '';
  };
  const guessCodes = async ({ email, seed }: TestAdmin, times: number) => {
    const found: number[] = [];
    for (let n = 0; n < times; n += 1) found.push((await logIn(email, { totp_code: wrongCode(seed) })).status);
    return found;
  };
  const audited = async (subject: string) =>
    (await auditor.ask('GET', `/v2/admin/audit?subject=${subject}`)).body as { action: string; detail: object }[];

  it('are limited for each account, whatever the password, and another account is not affected', async () => {
    const [victim, other] = [await service.admin(), await service.admin()];
    await service.db.query(sql.unsafe`delete from throttles`);

    const guesses = await guess(victim.email, PER_MINUTE + 1);
    const owner = await logIn(victim.email, { totp_code: await right(victim) });

    expect(guesses).to.deep.equal([...Array(PER_MINUTE).fill(401), 429]);
    expect(owner.status).to.equal(429);
    expect((await logIn(other.email, { totp_code: await right(other) })).status).to.equal(200);
  });

  it('from addresses without an earlier log-in share one limit, which the others do not spend', async () => {
    const victim = await service.admin(); // has logged in from here
    await service.db.query(sql.unsafe`delete from throttles`);
    await guess(victim.email, 1);
    const spent = await service.db.anyFirst(sql.type(z.object({ name: z.string() }))`select name from throttles`);
    await service.db.query(sql.unsafe`delete from known_addresses where account = ${victim.adminId}`);
    await guess(victim.email, 1);
    await service.db.query(sql.unsafe`update throttles set spent = budget where name = 'login_unknown_callers'`);

    const unknownCaller = await logIn(victim.email, { totp_code: await right(victim) });

    expect(spent).not.to.include('login_unknown_callers');
    expect(unknownCaller.status).to.equal(429);
  });

  it('give the attempts back once one succeeds, those at the code too', async () => {
    const admin = await service.admin();
    await service.db.query(sql.unsafe`delete from throttles`);

    const before = [
      ...(await guess(admin.email, PER_MINUTE - CODES_PER_MINUTE)),
      ...(await guessCodes(admin, CODES_PER_MINUTE - 1)),
    ];
    const opened = await logIn(admin.email, { totp_code: await right(admin) });
    const after = [
      ...(await guessCodes(admin, CODES_PER_MINUTE)),
      ...(await guess(admin.email, PER_MINUTE - CODES_PER_MINUTE)),
    ];

    expect(before).to.deep.equal(Array(PER_MINUTE - 1).fill(401));
    expect(opened.status).to.equal(200);
    expect(after).to.deep.equal(Array(PER_MINUTE).fill(401));
  });

  it('are recorded for the account, rejected ones with the reason and a challenge', async () => {
    const admin = await service.admin();

    const password = await logIn(admin.email, { password: 'wrong horse battery' });
    const code = await logIn(admin.email, { totp_code: wrongCode(admin.seed) });
    await logIn(admin.email, { totp_code: await right(admin) });

    expect([password, code].map(({ headers }) => headers.get('www-authenticate'))).to.deep.equal([
      CHALLENGE,
      CHALLENGE,
    ]);
    const [opened, wrong, rejected] = await audited(admin.adminId);
    expect(opened).to.deep.include({ action: 'admin.login', actor: `admin:${admin.adminId}` });
    expect(wrong).to.deep.include({ action: 'admin.login_refused', detail: { code: 'V2_MFA_INVALID' } });
    expect(rejected).to.deep.include({ action: 'admin.login_refused', detail: { code: 'V2_INVALID_CREDENTIALS' } });
  });

  it('end by a log-out, which also takes the cookie from the browser', async () => {
    const admin = await service.admin();

    const { body, headers } = await admin.ask('POST', '/v2/admin/logout');

    expect(body).to.deep.equal({ revoked: true });
    expect(headers.getSetCookie()).to.deep.equal([
      '__Host-admin_session=; Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=0',
    ]);
  });

  describe('the first code of an authenticator', () => {
    const confirm = (admin: TestAdmin, code: string) => admin.ask('POST', '/v2/admin/totp/confirm', { json: { code } });

    it('is asked for after an enrollment only, once, and says so', async () => {
      const admin = await service.admin(false);

      const early = await confirm(admin, '000000');
      const { secret } = (await admin.ask('POST', '/v2/admin/totp/enroll')).body;
      const wrong = await confirm(admin, wrongCode(secret));
      const confirmed = await confirm(admin, codeOf(secret));
      const again = await confirm(admin, codeOf(secret, 1));

      expect(early.body.error).to.include({ code: 'V2_MFA_NOT_STARTED', effect: 'none' });
      expect(wrong.body.error).to.include({ code: 'V2_MFA_INVALID', effect: 'none' });
      expect(wrong.headers.get('www-authenticate')).to.equal(CHALLENGE);
      expect(confirmed.body).to.deep.equal({ enabled: true });
      expect(again.body.error).to.include({ code: 'V2_MFA_ALREADY_ENABLED', effect: 'none' });
    });

    it('can be tried a few times a minute', async () => {
      const admin = await service.admin(false);
      const { secret } = (await admin.ask('POST', '/v2/admin/totp/enroll')).body;

      const statuses: number[] = [];
      for (let n = 0; n <= CODES_PER_MINUTE; n += 1) statuses.push((await confirm(admin, wrongCode(secret))).status);

      expect(statuses).to.deep.equal([...Array(CODES_PER_MINUTE).fill(401), 429]);
    });

    it('belongs to a seed that is sealed for its row and column', async () => {
      const admin = await service.admin();
      const { open } = sealer(String(service.settings.SEALING_KEYS));
      const sealed = await service.db.oneFirst(
        sql.type(
          z.object({ totp_seed: z.instanceof(Buffer) }),
        )`select totp_seed from admins where id = ${admin.adminId}`,
      );

      const seed = open(sealed, { table: 'admins', row: admin.adminId, column: 'totp_seed' }).toString();

      expect(seed).to.equal(admin.seed);
    });
  });

  describe('a rejected write', () => {
    it('is recorded with at most 500 characters of its reason', async () => {
      const path = '/v2/admin/prop-accounts/prop_long/abandon';

      await auditor.ask('POST', path, { json: { reason: 'x'.repeat(600) } });

      const [newest] = await audited('prop_long');
      expect(newest?.detail).to.deep.equal({ why: 'x'.repeat(500), rejected: 'INVALID_REQUEST' });
    });

    it('of an app leaves no row', async () => {
      const app = await service.app(['reads']);
      const newest = async () => (await auditor.ask('GET', '/v2/admin/audit?limit=1')).body;
      const before = await newest();

      const { body } = await app.ask('POST', '/v2/agreements/sign', {
        json: { agreement_version: '1', signature_name: 'A' },
      });

      expect(body.error.code).to.equal('V2_SCOPE_MISSING');
      expect(await newest()).to.deep.equal(before);
    });
  });
});
