import { expect } from 'chai';
import { sql } from 'slonik';
import { limits } from '../../src/kernel/throttles.ts';
import {
  codeIn,
  fresh,
  type Identity,
  PASSWORD,
  resetTokenIn,
  startIdentity,
  type TestApp,
} from '../support/identity.ts';

const OWNER = '203.0.113.7';
const STRANGER = '198.51.100.66';

describe('strangers who know an address', () => {
  let service: Identity;
  let app: TestApp;
  before(async () => {
    service = await startIdentity({ THROTTLE_SCALE: '1' });
    app = await service.app();
  });
  after(() => service.stop());

  const address = () => `${fresh('owner')}@example.com`;
  const post = (from: string, path: string, json: object, at = app) =>
    at.ask('POST', `/v2/auth/${path}`, { json, headers: { 'X-End-User-Address': from } });
  const signUp = (from: string, email: string, at = app) => post(from, 'signup', { email, password: PASSWORD }, at);
  const newestCode = async (email: string, count: number) => codeIn((await service.mailTo(email, count)).text);
  /** Mails that are on their way or have arrived. */
  const mailsTo = async (email: string) =>
    Number(
      await service.db.oneFirst(sql.unsafe`
        select count(*) from mails where recipient = ${email} and template <> 'none'`),
    );
  /** A code of six digits that is not this one. */
  const wrong = (code: string, n: number) => String((Number(code) + 1 + n) % 1_000_000).padStart(6, '0');

  it('do not keep it out of an app by sign-ups at other apps', async () => {
    const email = address();
    for (const other of [await service.app(), await service.app(), await service.app()])
      for (let n = 0; n < 5; n += 1) await signUp(STRANGER, email, other);
    const before = await mailsTo(email);

    const { status } = await signUp(OWNER, email);

    expect(status).to.equal(200);
    await service.mailTo(email, before + 1);
  });

  it('do not keep its owner from verifying by sign-ups and wrong codes at the same app', async () => {
    const email = address();
    for (let n = 0; n < 9; n += 1) await signUp(STRANGER, email);
    const before = await mailsTo(email);
    expect((await signUp(OWNER, email)).status).to.equal(200);
    const code = await newestCode(email, before + 1);
    for (let n = 0; n < 30; n += 1) await post(STRANGER, 'verify-email', { email, code: wrong(code, n) });

    const verified = await post(OWNER, 'verify-email', { email, code });

    expect(verified.status).to.equal(200);
    expect(verified.body.email_verified).to.equal(true);
  });

  it('do not use up from one network, by rejected sign-ups, the first mails of other networks', async () => {
    const email = address();
    for (let n = 0; n < limits.all_first_mails.budget + 10; n += 1) await signUp(STRANGER, email);
    for (const other of [await service.app(), await service.app(), await service.app()])
      for (let n = 0; n < 5; n += 1) await signUp(STRANGER, email, other); // nothing is left of what all share
    const before = await mailsTo(email);

    expect((await signUp(OWNER, email)).status).to.equal(200);
    await service.mailTo(email, before + 1);
  });

  it('do not keep it out of other apps from however many networks, nor does an app that names them', async () => {
    const [email, theirs] = [address(), await service.app()];
    for (let network = 0; network < 2 * limits.all_first_mails.budget; network += 1)
      await signUp(`198.18.0.${network}`, email, theirs);
    const other = await service.app();
    for (let n = 0; n < 8; n += 1) await signUp(STRANGER, email, other); // nothing is left of the further mails
    const before = await mailsTo(email);

    expect((await signUp(OWNER, email)).status).to.equal(200);
    await service.mailTo(email, before + 1);
  });

  it('learn nothing by the headers of what other apps have mailed to an address', async () => {
    const [email, untouched, ours] = [address(), address(), await service.app()];
    for (let n = 0; n < 5; n += 1) await signUp(STRANGER, email);
    const headersOf = async (to: string) => {
      const replies = [];
      for (let n = 0; n < 3; n += 1) replies.push((await signUp(OWNER, to, ours)).headers);
      const ofMails = (headers: Headers) => headers.get('ratelimit')?.match(/"\w*mails?";r=\d+/g);
      return replies.map((headers) => [headers.get('ratelimit-policy'), ofMails(headers)]);
    };

    expect(await headersOf(email)).to.deep.equal(await headersOf(untouched));
  });

  it('do not invalidate a reset that was mailed to an owner who has not verified the address', async () => {
    const email = address();
    await signUp(OWNER, email);
    await post(OWNER, 'password-reset/request', { email });
    const token = resetTokenIn((await service.mailTo(email, 2)).text);
    await service.db.query(
      sql.unsafe`update throttles set spent = budget where name in ('all_first_mails', 'sign_up_mails')`,
    );
    await signUp(STRANGER, email, await service.app()); // it counts what all apps share, of which nothing is left
    await service.db.query(
      sql.unsafe`update throttles set spent = budget where name in ('all_first_mails', 'sign_up_mails')`,
    );
    const before = await mailsTo(email);
    await post(STRANGER, 'password-reset/request', { email });

    const json = { email, token, new_password: 'chosen by the owner' };
    const reset = await post(OWNER, 'password-reset/confirm', json);

    expect(await mailsTo(email)).to.equal(before + 1); // that the password was changed
    expect(reset.body).to.deep.equal({ reset: true });
  });

  it('do not use up by wrong tokens the reset of an owner who shares their network', async () => {
    const email = address();
    await service.user(app, email);
    await post(OWNER, 'password-reset/request', { email });
    const token = resetTokenIn((await service.mailTo(email, 2)).text);
    const confirm = (mailed: string) =>
      post(OWNER, 'password-reset/confirm', { email, token: mailed, new_password: 'chosen by the owner' });
    const guesses = [];
    for (let n = 0; n <= limits.code.budget; n += 1) guesses.push((await confirm(`rst_${n}`)).body.error.code);

    const reset = await confirm(token);

    expect(guesses.at(-1)).to.equal('V2_THROTTLED');
    expect(reset.body).to.deep.equal({ reset: true });
  });

  it('compare at most 5 codes from one network, and 25 from all of them', async () => {
    const email = address();
    await signUp(OWNER, email);
    const code = await newestCode(email, 1);
    const codes: string[] = [];
    for (let network = 0; network < 8; network += 1)
      for (let n = 0; n < 6; n += 1) {
        const { body } = await post(`192.0.2.${network}`, 'verify-email', {
          email,
          code: wrong(code, network * 10 + n),
        });
        codes.push(body.error.code);
      }

    expect(codes.filter((each) => each === 'V2_OTP_INVALID')).to.have.length(25);
    expect(codes.slice(0, 6)).to.deep.equal([...Array(5).fill('V2_OTP_INVALID'), 'V2_OTP_EXPIRED']);
    expect((await post(OWNER, 'verify-email', { email, code })).body.error.code).to.equal('V2_OTP_EXPIRED');
  });

  it('do not use up the resets of an owner who has not verified the address', async () => {
    const email = address();
    await signUp(OWNER, email);
    for (const other of [await service.app(), await service.app(), await service.app()])
      for (let n = 0; n < 5; n += 1) await signUp(STRANGER, email, other);
    const before = await mailsTo(email);

    const reply = await post(OWNER, 'password-reset/request', { email });

    expect(reply.body).to.deep.equal({ sent: true });
    await service.mailTo(email, before + 1);
  });

  it('cause a bounded number of mails, from however many networks', async () => {
    const email = address();
    for (let network = 0; network < 40; network += 1)
      for (let n = 0; n < 2; n += 1) await signUp(`198.18.${network}.1`, email);

    expect(await mailsTo(email)).to.be.at.most(limits.all_first_mails.budget + limits.mail.budget);
  });
});
