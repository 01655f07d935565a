import { expect } from 'chai';
import { Client } from 'pg';
import { requestDigest } from '../../src/kernel/ids.ts';
import { type Commits, watchCommits } from '../support/commits.ts';
import {
  type Ask,
  codeIn,
  codeOf,
  fresh,
  type Identity,
  linkIn,
  PASSWORD,
  resetTokenIn,
  startIdentity,
  type TestAdmin,
  type TestApp,
  type TestUser,
} from '../support/identity.ts';

type Who = { ask: Ask; app: TestApp; admin: TestAdmin; user: TestUser };
/** A write, and what counts its effects: `{subject}` of the statement is the subject of the write. */
type Write = { by: keyof Who; path: string; json?: object; method?: string; subject: string; effects: string };

const AUDITS = "select count(*) as n from admin_audit where subject = '{subject}'";
const MAILS = "select count(*) as n from mails where recipient = '{subject}'";
const SESSIONS = `select count(*) as n from user_sessions s join users u on u.id = s.user_id where u.email = '{subject}'`;

describe('a write sent twice under one Idempotency-Key has one effect:', () => {
  let service: Identity;
  let who: Who;
  let session: Client;
  let commits: Commits;
  before(async () => {
    service = await startIdentity();
    session = new Client({ connectionString: String(service.settings.DATABASE_URL) });
    await session.connect();
    const app = await service.app(['*']);
    commits = await watchCommits(service);
    who = { ask: service.ask, app, admin: await service.admin(), user: await service.user(app) };
  });
  after(async () => {
    await session.end();
    await service.stop();
  });

  const count = async ({ effects, subject }: Write) =>
    Number((await session.query(effects.replace('{subject}', subject))).rows[0].n);
  const askAs = (by: keyof Who): Ask => (by === 'ask' ? who.ask : who[by].ask);

  async function sendTwice(write: Write) {
    const { by, path, json, method = 'POST' } = write;
    const before = await count(write);
    const headers = { 'Idempotency-Key': fresh('key') };
    const send = () => askAs(by)(method, path, { ...(json && { json }), headers });
    const [first, second] = await commits.together(path, async () => [await send(), await send()] as const);
    const label = `${path}: ${JSON.stringify([first.body, second.body])}`;
    expect([first.status, second.status], label).to.deep.equal([200, 200]);
    expect(second.body, label).to.deep.equal(first.body);
    expect(second.headers.get('idempotent-replayed'), label).to.equal('true');
    expect((await count(write)) - before, label).to.equal(1);
    if (!json) return first;
    const other = await askAs(by)(method, path, {
      json: { ...json, company_name: 'Other', reason: 'another' },
      headers,
    });
    expect(other.status, label).to.equal(422);
    return first;
  }

  const request = () => ({
    company_name: 'Acme',
    slug: fresh('acme'),
    contact_email: `${fresh('a')}@example.com`,
    use_case: 'x',
  });

  it('access requests, their decisions, and the page of the credentials', async () => {
    const filed = request();
    const rows = "select count(*) as n from app_requests where slug = '{subject}'";
    const { body } = await sendTwice({
      by: 'ask',
      path: '/v2/app-requests',
      json: filed,
      subject: filed.slug,
      effects: rows,
    });
    const path = `/v2/admin/app-requests/${body.request_id}`;
    const json = { entity_hotkey: fresh('hotkey'), network_api_key: 'key' };
    await sendTwice({ by: 'admin', path: `${path}/approve`, json, subject: filed.contact_email, effects: MAILS });
    await sendTwice({ by: 'admin', path: `${path}/reissue`, subject: filed.contact_email, effects: MAILS });
    const declined = await who.ask('POST', '/v2/app-requests', { json: request() });
    const decline = `/v2/admin/app-requests/${declined.body.request_id}/decline`;
    await sendTwice({ by: 'admin', path: decline, json: {}, subject: declined.body.request_id, effects: AUDITS });
    const link = new URL(linkIn((await service.mailTo(filed.contact_email, 2)).text)).pathname;
    const secrets = 'select count(*) as n from app_secrets';
    const shown = await sendTwice({ by: 'ask', path: link, subject: '', effects: secrets });
    expect(String(shown.body)).to.contain('csk_');
  });

  it('settings of apps and partners', async () => {
    const { appId } = await service.app();
    const path = `/v2/admin/apps/${appId}`;
    await sendTwice({ by: 'admin', method: 'PATCH', path, json: { name: 'New' }, subject: appId, effects: AUDITS });
    await sendTwice({ by: 'admin', path: `${path}/disable`, subject: appId, effects: AUDITS });
    await sendTwice({ by: 'admin', path: `${path}/enable`, subject: appId, effects: AUDITS });
    const { body } = await who.admin.ask('POST', '/v2/admin/partners', { json: { name: 'Partner' } });
    const partner = `/v2/admin/partners/${body.partner_id}`;
    await sendTwice({ by: 'admin', path: `${partner}/disable`, subject: body.partner_id, effects: AUDITS });
    await sendTwice({ by: 'admin', path: `${partner}/enable`, subject: body.partner_id, effects: AUDITS });
  });

  it('sign-up, verification, log-in, codes and resets', async () => {
    const email = `${fresh('ida')}@example.com`;
    const ofIda = (path: string, json: object, effects: string): Write => ({
      by: 'app',
      path: `/v2/auth/${path}`,
      json: { email, ...json },
      subject: email,
      effects,
    });
    await sendTwice(ofIda('signup', { password: PASSWORD }, MAILS));
    await sendTwice(ofIda('resend-otp', {}, MAILS));
    const code = codeIn((await service.mailTo(email, 2)).text);
    await sendTwice(ofIda('verify-email', { code }, SESSIONS));
    await sendTwice(ofIda('login', { password: PASSWORD }, SESSIONS));
    await sendTwice(ofIda('password-reset/request', {}, MAILS));
    const token = resetTokenIn((await service.mailTo(email, 3)).text);
    await sendTwice(ofIda('password-reset/confirm', { token, new_password: 'an entirely new pass phrase' }, MAILS));
  });

  it('authenticators', async () => {
    const { email, userId } = who.user;
    const path = '/v2/auth/totp';
    const seeds = `select count(distinct totp_seed) as n from users where id = '{subject}'`;
    const { body } = await sendTwice({ by: 'user', path: `${path}/enroll`, subject: userId, effects: seeds });
    const json = { code: codeOf(body.secret) };
    await sendTwice({ by: 'user', path: `${path}/confirm`, json, subject: email, effects: MAILS });
    const reason = { reason: 'lost' };
    await sendTwice({
      by: 'admin',
      path: `/v2/admin/users/${userId}/remove-authenticator`,
      json: reason,
      subject: email,
      effects: MAILS,
    });
  });

  it('and a wrong code under a key is counted as every other', async () => {
    const email = `${fresh('eve')}@example.com`;
    await who.app.ask('POST', '/v2/auth/signup', { json: { email, password: PASSWORD } });
    const code = codeIn((await service.mailTo(email)).text);
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
    const replies = [];
    for (const each of [wrong, wrong, wrong, wrong, wrong, code]) {
      const headers = { 'Idempotency-Key': fresh('guess') };
      replies.push(await who.app.ask('POST', '/v2/auth/verify-email', { json: { email, code: each }, headers }));
    }

    expect(replies.map(({ body }) => body.error?.code)).to.deep.equal([
      ...Array(5).fill('V2_OTP_INVALID'),
      'V2_OTP_EXPIRED',
    ]);
  });

  it('and no digest of a password alone is stored', async () => {
    const json = { email: who.user.email, password: PASSWORD };
    const headers = { 'Idempotency-Key': fresh('digest') };
    await who.app.ask('POST', '/v2/auth/login', { json, headers });
    const plain = requestDigest('logInUser', {}, {}, json, '', who.app.appId);

    const { rows } = await session.query(`select encode(digest, 'hex') as digest from idempotent_responses`);

    expect(rows.length).to.be.above(0);
    expect(rows.map(({ digest }) => digest)).not.to.include(plain);
  });
});
