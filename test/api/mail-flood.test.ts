import { expect } from 'chai';
import { sql } from 'slonik';
import { limits } from '../../src/kernel/throttles.ts';
import { type Data, fresh, type Identity, PASSWORD, startIdentity, type TestApp } from '../support/identity.ts';

describe('mails to people who did not ask for them', () => {
  let service: Identity;
  let apps: TestApp[];
  before(async () => {
    service = await startIdentity({ THROTTLE_SCALE: '1' });
    apps = [await service.app(), await service.app(), await service.app()];
  });
  after(() => service.stop());

  const address = () => `${fresh('victim')}@example.com`;
  const mailsTo = (email: string) =>
    service.db.oneFirst(sql.unsafe`select count(*)::int from mails where recipient = ${email} and template <> 'none'`);
  const ask = (app: TestApp, path: string, email: string) =>
    app.ask('POST', `/v2/auth/${path}`, { json: path === 'signup' ? { email, password: PASSWORD } : { email } });
  const notify = (app: TestApp, more: object) =>
    app.ask('POST', '/v2/notifications/send', { json: { subject: 'Win', html: '<p>Click</p>', ...more } });
  const isThrottled = ({ status, body, headers }: Data) =>
    status === 429 && body.error.code === 'V2_THROTTLED' && Number(headers.get('retry-after')) > 0;

  it('reach an address at most 10 times a day by further sign-ups, new codes and resets, over all apps', async () => {
    const email = address();
    const replies: Data[] = [];

    for (const path of [
      'signup',
      'resend-otp',
      'password-reset/request',
      'resend-otp',
      'password-reset/request',
      'signup',
    ])
      for (const app of apps) replies.push(await ask(app, path, email));

    expect(replies.some(isThrottled)).to.equal(true);
    expect(await mailsTo(email)).to.equal(apps.length * limits.first_mails.budget + limits.sign_up_mails.budget);
  });

  it('are limited alike for addresses that are new, pending and verified', async () => {
    const flood = async (email: string) => {
      const seen: string[] = [];
      for (const path of ['signup', 'resend-otp', 'signup', 'password-reset/request', 'resend-otp'])
        for (const app of apps) seen.push(`${path} ${(await ask(app, path, email)).status}`);
      return seen;
    };
    const [first] = apps;
    const { email: verified } = await service.user(first as TestApp);
    await service.db.query(sql.unsafe`delete from throttles`);

    expect(await flood(verified)).to.deep.equal(await flood(address()));
  });

  it('still include the reset of a verified user, however many sign-ups and new codes somebody causes', async () => {
    const [app] = apps as [TestApp];
    const { email } = await service.user(app);
    for (const other of apps) for (let n = 0; n < 6; n += 1) await ask(other, n % 2 ? 'signup' : 'resend-otp', email);
    const before = await mailsTo(email);

    const reply = await ask(app, 'password-reset/request', email);

    expect(reply.status).to.equal(200);
    expect(await mailsTo(email)).to.equal(Number(before) + 1);
    // who uses up the resets has mailed the owner a token each time, and one of them lives as long as any wait
    expect(limits.reset_mail.longestS).to.be.at.most(3_600);
  });

  it('reach an address that is not verified at most 3 times a day by notifications, over all apps', async () => {
    const email = address();
    for (const app of apps) await ask(app, 'signup', email);
    const replies: Data[] = [];

    for (let n = 0; n < 4; n += 1) for (const app of apps) replies.push(await notify(app, { email }));

    expect(replies.map(({ status }) => status)).to.deep.equal([...Array(3).fill(200), ...Array(9).fill(429)]);
    expect(replies.slice(3).every(isThrottled)).to.equal(true);
    expect(replies[0]?.headers.get('ratelimit-policy')).to.include('"notify_unverified";q=3;w=86400');
    expect(await mailsTo(email)).to.equal(3 + 3);
  });

  it('reach a verified user within a budget of the app for this recipient, and one for all its recipients', async () => {
    const [app] = apps as [TestApp];
    const user = await service.user(app);
    const other = await service.user(app);

    const replies: Data[] = [];
    for (let n = 0; n <= limits.notify_recipient.budget; n += 1) replies.push(await notify(app, { email: user.email }));

    expect(replies.map(({ status }) => status).lastIndexOf(200)).to.equal(limits.notify_recipient.budget - 1);
    expect(replies.at(-1)?.status).to.equal(429);
    expect((await notify(app, { email: other.email })).headers.get('ratelimit')).to.match(/"notify_app";r=\d+/);
    // the rules of notifications are the same as before, and count as no mail
    expect((await notify(app, { user_id: user.userId })).body).to.deep.include({ email_sent: false });
    expect((await notify(app, { email: 'nobody@example.com' })).body.error.code).to.equal(
      'V2_NOTIFY_RECIPIENT_FORBIDDEN',
    );
    expect((await notify(app, {})).body.error.code).to.equal('V2_NOTIFY_EMPTY');
    expect((await notify(app, { email: user.email, fanout_event: 'x' })).status).to.equal(429);
    expect((await notify(app, { fanout_event: 'x' })).status).to.equal(200);
  });
});
