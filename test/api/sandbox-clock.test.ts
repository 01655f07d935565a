import { expect } from 'chai';
import { startClocked } from '../support/clocked.ts';
import { type Ask, asking, bearer, PASSWORD } from '../support/identity.ts';
import { until } from '../support/processes.ts';

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;

describe('the clock of a shared sandbox', function () {
  this.timeout(90_000);
  let clocked: Awaited<ReturnType<typeof startClocked>>;
  let { url, ask, receiver, printed, advance, app, codeFor, signUp } = {} as typeof clocked; // as: set before the tests
  before(async () => {
    clocked = await startClocked();
    ({ url, ask, receiver, printed, advance, app, codeFor, signUp } = clocked);
  });
  after(() => clocked.stop());

  it('lets tokens and codes expire', async () => {
    const { ask: byApp } = await app();
    const [early, late] = ['early@example.com', 'late@example.com'];
    for (const email of [early, late]) await byApp('POST', '/v2/auth/signup', { json: { email, password: PASSWORD } });
    const [earlyCode, lateCode] = [await codeFor(early), await codeFor(late)];

    await advance(9 * MINUTE_S); // a code is valid for 10 minutes
    const inTime = await byApp('POST', '/v2/auth/verify-email', { json: { email: early, code: earlyCode } });
    await advance(2 * MINUTE_S);
    const tooLate = await byApp('POST', '/v2/auth/verify-email', { json: { email: late, code: lateCode } });
    await advance(50 * MINUTE_S); // a token is valid for an hour
    const withOldToken = await byApp('GET', '/v2/tiers');
    const withNewToken = await (await app()).ask('GET', '/v2/tiers');

    expect(inTime.status, JSON.stringify(inTime.body)).to.equal(200);
    expect(tooLate.status).to.equal(400);
    expect(withOldToken.status).to.equal(401);
    expect(withNewToken.status).to.equal(200);
  });

  it('brings forward the retries of a failing webhook delivery, at once and as often as needed', async () => {
    const { ask: byApp } = await app();
    const json = { url: receiver.url, events: ['*'] };
    const { body: endpoint } = await byApp('POST', '/v2/webhook-endpoints', { json });
    await byApp('POST', `/v2/webhook-endpoints/${endpoint.id}/test`);
    /** The delivery, once so many attempts have ended. */
    const attempted = async (times: number) => {
      const { ask: now } = await app();
      return until(`attempt ${times}`, async () => {
        const [delivery] = (await now('GET', `/v2/webhook-endpoints/${endpoint.id}/deliveries`)).body;
        const hasEnded = delivery?.completed_at || Date.parse(delivery?.next_attempt_at) > Date.now();
        return delivery?.attempts >= times && hasEnded && delivery;
      });
    };

    // The waits after failures are 5 s, 1, 5 and 30 minutes, then 2 hours, each a fifth more or less.
    const waits = [10, 2 * MINUTE_S, 7 * MINUTE_S, 40 * MINUTE_S];
    for (const [n, wait] of waits.entries()) {
      await attempted(n + 1);
      await advance(wait);
    }
    await attempted(5);
    await advance(HOUR_S);
    const waiting = await attempted(5);
    receiver.behave(() => 200);
    await advance(2 * HOUR_S);
    const delivery = await attempted(6);

    const dueInS = (Date.parse(waiting.next_attempt_at) - Date.now()) / 1_000;
    expect(dueInS).to.be.within(0.55 * HOUR_S, 1.4 * HOUR_S);
    expect(delivery).to.include({ status: 'delivered' });
    const bodies = receiver.ledger.map(({ body }) => body);
    expect(bodies).to.deep.equal(bodies.map(() => bodies[0]));
  });

  it('doubles and loses nothing that is in doubt when time passes', async () => {
    const asPartner = asking(url, bearer(printed(/partner key \(shown once\)\s+(\S+)/)));
    const json = { asset_class: 'crypto', account_size: 10_000 };
    const { body } = await asPartner('POST', '/v1/register/netvenue', { json });
    const headers = { 'Trader-ID': String(body.subaccount.subaccount_id) };
    const { body: order } = await asPartner('POST', '/v1/orders/netvenue', {
      json: { trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.0502 }, // executed, but the response is lost
      headers: { ...headers, Prefer: 'wait=0' },
    });

    const effects = async () => {
      const { body } = await ask('GET', '/sandbox/network/ledger');
      return body.filter(({ key }: { key: string }) => key === order.order_uuid);
    };
    await until('the order to be executed', async () => (await effects()).length > 0);

    await advance(HOUR_S);

    const ended = await until('the end of the order', async () => {
      const { body } = await asPartner('GET', `/v1/orders/netvenue/${order.order_uuid}`, { headers });
      return (body.status === 'completed' || body.status === 'failed') && body;
    });
    expect(ended).to.include({ status: 'completed', lifecycle: 'filled' });
    expect(await effects()).to.have.length(1);
  });

  it('keeps a payment paid, and lets it be given back a day later', async () => {
    const user = await signUp('buyer@example.com');
    const tier = { tier_id: 'tier_5k', market: 'crypto', asset_class: 'crypto', account_size: 5_000 };
    const { body: checkout } = await user.ask('POST', '/v2/payments/checkout', {
      json: { ...tier, amount_cents: 7_400 },
    });
    const status = async (wanted: string) => {
      const headers = { ...bearer((await app()).token), 'X-Session-Token': user.session };
      return until(wanted, async () => {
        const { body } = await ask('GET', `/v2/payments/${checkout.payment_id}`, { headers });
        return body.status === wanted && body;
      });
    };
    const page = await ask('POST', `/sandbox/pay/${checkout.client_secret}`, { form: { do: 'pay' } });
    await status('succeeded');

    await advance(DAY_S);
    const dayLater = await status('succeeded');
    const json = { id: checkout.processor_payment_intent_id, to: 'refunded' };
    await ask('POST', '/sandbox/processor/payment', { json });
    const refunded = await status('refunded');

    expect(page.status).to.equal(200);
    expect(dayLater).to.include({ refunded_cents: 0 });
    expect(refunded).to.include({ refunded_cents: 7_400 });
  });

  it('moves the days of a challenge: its drawdown by midnights, its end after 60 days without an order', async () => {
    const email = 'challenger@example.com';
    const user = await signUp(email);
    const opened = await user.ask('POST', '/v2/payments/free', {
      json: { tier_id: 'tier_demo', asset_class: 'crypto', account_size: 10_000 },
    });
    const loggedIn = async () => {
      const { token, ask: byApp } = await app();
      const { body } = await byApp('POST', '/v2/auth/login', { json: { email, password: PASSWORD } });
      return asking(url, { ...bearer(token), 'X-Session-Token': body.session_token });
    };
    const accountFor = async (someone: Ask) => (await someone('GET', '/v2/payments/prop-accounts')).body[0];
    await until('the account to trade', async () => (await accountFor(user.ask)).status === 'evaluation');

    await advance(59 * DAY_S);
    const before = await accountFor(await loggedIn());
    const oldSession = await asking(url, { ...bearer((await app()).token), 'X-Session-Token': user.session })(
      'GET',
      '/v2/auth/me',
    );
    await advance(2 * DAY_S);
    const afterwards = await loggedIn();
    const ended = await until('the end of the account', async () => {
      const now = await accountFor(afterwards);
      return now.status === 'eliminated' && now;
    });

    expect(opened.status).to.equal(200);
    expect(before).to.include({ status: 'evaluation' });
    expect(oldSession.status, 'a session lives 30 days').to.equal(401);
    const days = (Date.now() - Date.parse(ended.created_at)) / (DAY_S * 1_000);
    expect(days).to.be.within(60.9, 61.1);
  });

  it('passes for one account alone: its days end it, and neither the session of its user nor another account is older', async () => {
    const user = await signUp('two@example.com');
    const open = (tier_id: string) =>
      user.ask('POST', '/v2/payments/free', { json: { tier_id, asset_class: 'crypto', account_size: 10_000 } });
    await open('tier_demo');
    const accounts = async () => (await user.ask('GET', '/v2/payments/prop-accounts')).body;
    const [old] = await until('the account to trade', async () => {
      const all = await accounts();
      return all[0]?.status === 'evaluation' && all;
    });
    const other = await signUp('other@example.com');
    await other.ask('POST', '/v2/payments/free', {
      json: { tier_id: 'tier_demo', asset_class: 'crypto', account_size: 10_000 },
    });
    const others = async () => (await other.ask('GET', '/v2/payments/prop-accounts')).body[0];
    const before = await until('the other account to trade', async () => {
      const account = await others();
      return account?.status === 'evaluation' && account;
    });
    const passed = await ask('POST', '/sandbox/clock/advance', { json: { seconds: 61 * DAY_S, account: old.id } });
    const ended = await until('the end of the account', async () => {
      const [account] = await accounts();
      return account.status === 'eliminated' && account;
    });
    const unknown = await ask('POST', '/sandbox/clock/advance', { json: { seconds: 60, account: 'prop_none' } });

    expect(passed).to.deep.include({ status: 200, body: { advanced_s: 61 * DAY_S, account: old.id } });
    expect((Date.parse(old.created_at) - Date.parse(ended.created_at)) / (DAY_S * 1_000)).to.be.within(60.9, 61.1);
    expect(await others()).to.include({ status: 'evaluation', created_at: before.created_at });
    expect((await user.ask('GET', '/v2/auth/me')).status, 'the session is as young as before').to.equal(200);
    expect(unknown.status).to.equal(404);
  });

  it('finds nothing else below /sandbox, and leaves what is beside it to the service', async () => {
    const [unknown, beside] = [await ask('GET', '/sandbox/nothing'), await ask('GET', '/sandboxes')];

    expect(unknown).to.deep.include({ status: 404, body: { error: 'no such route' } });
    expect(beside.status).to.equal(404);
    expect(beside.body).to.have.nested.property('error.code', 'NOT_FOUND');
  });
});
