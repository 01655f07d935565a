import { expect } from 'chai';
import { sql } from 'slonik';
import {
  codeIn,
  codeOf,
  type Data,
  type Identity,
  PASSWORD,
  startIdentity,
  type TestApp,
} from '../support/identity.ts';
import { until } from '../support/processes.ts';

const HOME = '198.51.100.1';
const ATTACKER = '203.0.113.1';
const PER_DAY = 20;

describe('somebody who has the password and guesses authenticator codes', () => {
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity({ THROTTLE_SCALE: '1' });
    app = await service.app();
  });
  after(() => service.stop());

  /** A patient attacker: only the budget over days counts. */
  const calm = () => service.db.query(sql.unsafe`delete from throttles where name <> 'totp_day'`);
  const days = () =>
    service.db.anyFirst(sql.unsafe`
      select round(extract(epoch from ends_at - now()) / 86400)::int from throttles where name = 'totp_day' order by 1`);
  const codeOfMail = (code: Data) => code.body.error?.code ?? code.status;
  const wrong = (seed: string) => {
    const right = Array.from({ length: 41 }, (_, n) => codeOf(seed, n - 20));
    return ['000000', '111111', '222222'].find((code) => !right.includes(code)) ?? '';
  };
  const mailsTo = (email: string, subject: RegExp) =>
    service.mailbox.mails(email).filter((mail) => subject.test(mail.subject));

  async function owner() {
    await calm();
    const user = await service.user(app);
    const logIn = (from: string, more: object = {}) =>
      app.ask('POST', '/v2/auth/login', {
        json: { email: user.email, password: PASSWORD, ...more },
        headers: { 'X-End-User-Address': from },
      });
    await logIn(HOME);
    const seed = String((await user.ask('POST', '/v2/auth/totp/enroll')).body.secret);
    await user.ask('POST', '/v2/auth/totp/confirm', { json: { code: codeOf(seed, -1) } });
    /** The current code, not used before. */
    const right = async () => {
      await service.db.query(sql.unsafe`update users set totp_step = 0 where id = ${user.userId}`);
      return codeOf(seed);
    };
    const guess = async (times: number, from = ATTACKER) => {
      const found: unknown[] = [];
      for (let n = 0; n < times; n += 1) {
        await calm();
        found.push(codeOfMail(await logIn(from, { totp_code: wrong(seed) })));
      }
      return found;
    };
    return { ...user, logIn, right, guess, seed };
  }

  it('has 20 attempts a day over all unknown networks; then a mailed code is needed, and the owner is notified', async () => {
    const victim = await owner();

    const guesses = await victim.guess(PER_DAY - 1);
    const before = mailsTo(victim.email, /Many wrong codes/).length;
    guesses.push(...(await victim.guess(1, '203.0.113.2')));
    await until('the notice', () => mailsTo(victim.email, /Many wrong codes/).length === 1);
    const lucky = await victim.logIn('203.0.113.3', { totp_code: await victim.right() });
    const blind = await victim.logIn(ATTACKER, { totp_code: await victim.right(), email_code: '000000' });

    expect(guesses).to.deep.equal(Array(PER_DAY).fill('V2_MFA_INVALID'));
    expect(before).to.equal(0);
    expect(codeOfMail(lucky)).to.equal('V2_EMAIL_CODE_REQUIRED');
    expect(codeOfMail(blind)).to.equal('V2_OTP_INVALID');
  });

  it('never locks the owner out of a known network, and the owner logs in elsewhere with the mailed code', async () => {
    const victim = await owner();
    await victim.guess(PER_DAY + 1);

    const home = await victim.logIn(HOME, { totp_code: await victim.right() });
    const still = await victim.logIn(ATTACKER, { totp_code: await victim.right() });
    const mail = await until('a code', () => mailsTo(victim.email, /Your log-in code/).at(-1));
    await until('both codes', () => mailsTo(victim.email, /Your log-in code/).length === 2);
    const email_code = codeIn(
      mailsTo(victim.email, /Your log-in code/)
        .map(({ text }) => text)
        .at(-1) ?? '',
    );
    const older = codeIn(mail.text);
    const elsewhere = await victim.logIn('192.0.2.7', { totp_code: await victim.right(), email_code });
    const other = await victim.logIn('192.0.2.8', { totp_code: await victim.right(), email_code: older });

    expect(home.status).to.equal(200);
    expect(codeOfMail(still)).to.equal('V2_EMAIL_CODE_REQUIRED'); // the log-in from home gave no attempts back
    expect([elsewhere.status, other.status]).to.include(200); // mails may overtake each other
  });

  it('backs off over days', async () => {
    const victim = await owner();
    await service.db.query(sql.unsafe`delete from throttles`);
    const seen: unknown[] = [];

    for (let window = 0; window < 5; window += 1) {
      await victim.guess(1);
      await service.db.query(sql.unsafe`update throttles set spent = budget + 1 where name = 'totp_day'`);
      seen.push(...(await days()));
      await service.db.query(sql.unsafe`update throttles set ends_at = now() where name = 'totp_day'`);
    }

    expect(seen).to.deep.equal([1, 2, 4, 8, 8]);
  });

  it('has no more attempts with a stolen session that turns the authenticator off', async () => {
    const victim = await owner();
    const headers = { 'X-End-User-Address': ATTACKER };
    const disable = (code: string) => victim.ask('POST', '/v2/auth/totp/disable', { json: { code }, headers });
    await service.db.query(sql.unsafe`delete from throttles`);

    const first = await disable(wrong(victim.seed));
    await service.db.query(sql.unsafe`update throttles set spent = budget - 1 where name = 'totp_day'`);
    await disable(wrong(victim.seed));
    await until('the notice', () => mailsTo(victim.email, /Many wrong codes/).length === 1);
    const lucky = await disable(await victim.right());

    expect(codeOfMail(first)).to.equal('V2_MFA_INVALID');
    expect(codeOfMail(lucky)).to.equal('V2_EMAIL_CODE_REQUIRED');
  });

  it('has as few attempts at an operator, whom another operator releases with a reason, never the operator alone', async () => {
    await calm();
    const [victim, other] = [await service.admin(), await service.admin()];
    const json = { email: victim.email, password: PASSWORD };
    const logIn = (totp_code: string) => service.ask('POST', '/v2/admin/login', { json: { ...json, totp_code } });
    const right = async () => {
      await service.db.query(sql.unsafe`update admins set totp_step = 0 where id = ${victim.adminId}`);
      return codeOf(victim.seed);
    };
    const release = (by: typeof other, id = victim.adminId, reason = 'called back') =>
      by.ask('POST', `/v2/admin/operators/${id}/release`, { json: { reason } });
    await service.db.query(sql.unsafe`delete from throttles`);

    const guesses: unknown[] = [];
    for (let n = 0; n < PER_DAY; n += 1) {
      await calm();
      guesses.push(codeOfMail(await logIn(wrong(victim.seed))));
    }
    await until('the notice', () => mailsTo(victim.email, /Many wrong codes/).length === 1);
    await calm();
    const locked = await logIn(await right());
    const alone = await release(victim);
    const unknown = await release(other, 'adn_nobody');
    const released = await release(other);
    const audit = await other.ask('GET', `/v2/admin/audit?subject=${victim.adminId}`);

    expect(guesses).to.deep.equal(Array(PER_DAY).fill('V2_MFA_INVALID'));
    expect(codeOfMail(locked)).to.equal('V2_OPERATOR_RELEASE_REQUIRED');
    expect([codeOfMail(alone), codeOfMail(unknown)]).to.deep.equal(['V2_OPERATOR_SELF', 'V2_OPERATOR_UNKNOWN']);
    expect(released.body).to.deep.equal({ released: true });
    expect((await logIn(await right())).status).to.equal(200);
    expect(JSON.stringify(audit.body)).to.include('admin.release').and.include('called back');
  });
});
