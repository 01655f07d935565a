import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { createApp } from '../../src/capabilities/admin/apps/commands.ts';
import { saveTier } from '../../src/capabilities/payments/commands.ts';
import { openPool } from '../../src/db/pool.ts';
import { sealer } from '../../src/kernel/seal.ts';
import { type MailUpstream, startMailUpstream } from '../../src/sandbox/mail.ts';
import { type ProcessorUpstream, startProcessorUpstream } from '../../src/sandbox/processor/index.ts';
import { sandboxTiers } from '../../src/sandbox/tiers.ts';
import { type Ask, asking, bearer, codeIn, PASSWORD } from '../support/identity.ts';
import { accountIn, checkOut, PROCESSOR, tier25k, tierDemo, WEBHOOK } from '../support/money.ts';
import { until } from '../support/processes.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { allSettled, openStage, type Stage } from './stage.ts';

const EMAIL = 'buyer@example.com';
const ACTOR = { adminId: null, address: 'test', requestId: 'test' };
const ACTIVATION_MS = 300;

describe('the journey of a buyer, over a web process and two worker processes', function () {
  this.timeout(60_000);
  let stage: Stage;
  let mailbox: MailUpstream;
  let processor: ProcessorUpstream;
  let receiver: Receiver;
  let asApp: Ask;
  let asUser: Ask;
  let token: string;

  before(async () => {
    mailbox = await startMailUpstream();
    processor = await startProcessorUpstream(PROCESSOR);
    receiver = await startReceiver();
    stage = await openStage({ workers: 2, settings: settings(), upstream: { activationMs: ACTIVATION_MS } });
    processor.notifications.to(stage.web.url + WEBHOOK);
  });
  after(async () => {
    await processor.notifications.close();
    await stage.close();
    await receiver.close();
    await processor.close();
    await mailbox.close();
  });

  it('gives the app a token, and its user a verified address and a session', async () => {
    token = await tokenOf(await makeApp(stage));
    asApp = asking(stage.web.url, bearer(token));
    const credentials = { email: EMAIL, password: PASSWORD };

    const signed = await asApp('POST', '/v2/auth/signup', { json: credentials });
    const mail = await until('the mail', () => mailbox.mails(EMAIL)[0]);
    const verified = await asApp('POST', '/v2/auth/verify-email', { json: { email: EMAIL, code: codeIn(mail.text) } });
    const login = await asApp('POST', '/v2/auth/login', { json: credentials });

    expect([signed, verified, login].map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    asUser = asking(stage.web.url, { ...bearer(token), 'X-Session-Token': login.body.session_token });
    expect((await asUser('GET', '/v2/auth/me')).body).to.include({ email: EMAIL, user_id: signed.body.user_id });
  });

  it('stores the signature of an agreement', async () => {
    const json = { agreement_version: '2026-01', signature_name: 'Jane Doe' };
    await asUser('POST', '/v2/agreements/sign', { json });

    const { body } = await asUser('GET', '/v2/agreements/status');

    expect(body).to.include({ signed: true, agreement_version: '2026-01' });
  });

  it('goes from a checkout over its payment, notified three times, to one funded account', async () => {
    const json = { url: receiver.url, events: ['payment.succeeded'] };
    const endpoint = await asApp('POST', '/v2/webhook-endpoints', { json });
    Object.assign(processor.notifications.travel, { repeat: 2, shuffleMs: 20 });

    const checkout = await checkOut(asUser, tier25k);
    await press(`${processor.url}/sandbox/pay/${checkout.client_secret}`, new URLSearchParams({ do: 'pay' }));
    const account = await accountIn(asUser, 'evaluation');
    await until('the delivery', () => receiver.ledger.length > 0);
    const { subaccount_id } = account;
    const bucket = 'SUBACCOUNT_FUNDED';
    await press(`${stage.upstream.controlUrl}/subaccount`, JSON.stringify({ subaccount_id, bucket }));
    const synced = await asUser('POST', `/v2/lifecycle/sync/${account.id}`);
    await allSettled(stage, 10_000);

    expect(account.processor_payment_intent_id).to.equal(checkout.processor_payment_intent_id);
    expect(synced.body).to.include({ prop_account_id: account.id, status: 'funded', subaccount_id, synced: true });
    expect((await asUser('GET', `/v2/payments/${checkout.payment_id}`)).body).to.include({ status: 'succeeded' });
    expect(receiver.ledger).to.have.length(1);
    expect(opened(receiver, endpoint.body.secret)).to.deep.include({ payment_id: checkout.payment_id });
    expect(processor.ledger.entries().map(({ kind }) => kind)).to.deep.equal(['payment_intent', 'paid']);
    expect(madeAtNetwork()).to.deep.equal([25_000]);
  });

  it('creates one free account, however often it is requested', async () => {
    const ask = () => asUser('POST', '/v2/payments/free', { json: tierDemo });
    const replies = await Promise.all([ask(), ask(), ask()]);

    const account = await accountIn(asUser, 'evaluation');

    await allSettled(stage, 10_000);
    expect(new Set(replies.map(({ body }) => body.id))).to.deep.equal(new Set([account.id]));
    expect(madeAtNetwork()).to.deep.equal([25_000, 10_000]);
  });

  it('sends a notification', async () => {
    const json = { email: EMAIL, subject: 'Your account is funded', html: '<p>Well done.</p>' };
    const { body } = await asApp('POST', '/v2/notifications/send', { json });

    const mail = await until('the mail', () => mailbox.mails(EMAIL).find(({ subject }) => subject === json.subject));

    expect(body).to.include({ email_sent: true });
    expect(mail.html).to.include('Well done.');
  });

  const settings = () => ({
    SMTP_URL: mailbox.smtpUrl,
    PROCESSOR_URL: processor.url,
    PROCESSOR_SECRET_KEY: PROCESSOR.secretKey,
    PROCESSOR_WEBHOOK_SECRET: PROCESSOR.notificationSecret,
  });

  async function tokenOf(credentials: { client_id: string; client_secret: string }): Promise<string> {
    const form = { grant_type: 'client_credentials', ...credentials };
    return (await asking(stage.web.url)('POST', '/v2/oauth/token', { form })).body.access_token;
  }

  const madeAtNetwork = () => stage.upstream.ledger.entries().map(({ detail }) => detail.account_size);
});

/** Writes the tiers on sale and an app, as an operator would. */
async function makeApp({ settings }: Stage): Promise<{ client_id: string; client_secret: string }> {
  const db = await openPool(String(settings.DATABASE_URL), 1, () => {});
  try {
    for (const tier of sandboxTiers) await saveTier(db, tier);
    const names = { slug: 'journey', name: 'Journey', contactEmail: null, entityHotkey: null, networkApiKey: null };
    const app = await createApp(db, sealer(String(settings.SEALING_KEYS)), { ...names, scopes: ['*'] }, ACTOR);
    return { client_id: app.app_id, client_secret: app.client_secret };
  } finally {
    await db.end();
  }
}

async function press(url: string, body: URLSearchParams | string): Promise<void> {
  const { ok, status } = await fetch(url, { method: 'POST', body });
  if (!ok) throw new Error(`${url} responded with ${status}`);
}

/** The content of the first delivery, after its signature was verified. */
function opened({ ledger: [received] }: Receiver, secret: string): object {
  if (!received) throw new Error('Nothing arrived');
  new Webhook(secret).verify(received.body, received.headers as Record<string, string>); // as: none of them is repeated
  return JSON.parse(received.body).data;
}
