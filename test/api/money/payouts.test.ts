import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Ask, TestUser } from '../../support/identity.ts';
import { accountIn, eventually, type Money, startMoney, tierDemo } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';

const MONDAY_MS = Date.parse('2026-01-05T00:00:00Z');
const TEN_DOLLARS = { json: { amount_cents: 1_000 } };
const RETURN_URLS = {
  connect_return_url: 'https://example.com/back',
  connect_refresh_url: 'https://example.com/again',
};
const eventRow = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

/** Unreachable, or too late when the machine was too slow to find that out: nothing was sent either way. */
function expectUnsent(reply: Parameters<typeof expectRejected>[0]): void {
  const code = reply.body.error.code === 'DEADLINE_PASSED' ? 'DEADLINE_PASSED' : 'PROCESSOR_UNREACHABLE';
  expectRejected(reply, code, { effect: 'none', retryable: true });
}

describe('from verification to a payout', () => {
  let service: Money;
  let trader: TestUser;
  let ask: Ask;
  let account: { id: string; subaccount_id: number };
  let payoutId: string;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '0', CHECKOUT_DEADLINE_MS: '3000' } });
    const app = await service.app(['api', 'payouts:write']);
    const admin = await service.admin();
    await admin.ask('PATCH', `/v2/admin/apps/${app.appId}`, { json: RETURN_URLS });
    trader = await service.user(app);
    ask = trader.ask;
    await ask('POST', '/v2/payments/free', { json: tierDemo });
    account = await accountIn(ask, 'evaluation');
  });
  after(() => service.stop());

  const reported = (type: string) =>
    service.db.any(sql.type(eventRow)`
      select e.type, event_body(e)::jsonb -> 'data' as data from events e where e.type = ${type} order by e.position`);
  const made = (kind: string) => service.processor.ledger.entries().filter((entry) => entry.kind === kind);
  const press = (url: string, button: string) =>
    fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ do: button }) });
  const kycIs = (status: string) =>
    eventually(async () => {
      const { body } = await ask('GET', '/v2/kyc/status');
      return body.kyc_status === status && body;
    });
  const payoutIs = (status: string) =>
    eventually(async () => {
      const { body } = await ask('GET', '/v2/payouts');
      return body.find((payout: { id: string; status: string }) => payout.id === payoutId && payout.status === status);
    });
  const settle = (payout: number) =>
    service.network({
      subaccount_id: account.subaccount_id,
      settlements: [{ start_ms: MONDAY_MS, end_ms: MONDAY_MS + 1, payout }],
    });

  it('starts unverified, and requires each missing step in turn', async () => {
    expect((await ask('GET', '/v2/kyc/status')).body).to.deep.equal({
      user_id: trader.userId,
      kyc_provider: null,
      kyc_status: 'unverified',
      kyc_verified_at: null,
      kyc_failure_reason: null,
    });
    expectRejected(await ask('POST', '/v2/payouts/request', TEN_DOLLARS), 'V2_KYC_REQUIRED');
  });

  it('verifies an identity, after a failed check, and notifies the app', async () => {
    service.processor.faults.add({ kind: 'accept_then_drop', route: '/v1/identity', times: 1 });
    const session = await ask('POST', '/v2/kyc/processor-identity/session');
    expect(session.status).to.equal(200);
    expect(session.body).to.have.all.keys('client_secret', 'url', 'session_id');

    await press(session.body.url, 'requires_input');
    const failed = await kycIs('needs_input');
    await press(session.body.url, 'verified');
    const verified = await kycIs('verified');

    expect(failed.kyc_failure_reason).to.equal('document_unverified_other');
    expect(verified).to.include({ kyc_provider: 'processor_identity', kyc_failure_reason: null });
    expect((await reported('kyc.updated')).map(({ data }) => data.kyc_status)).to.deep.equal([
      'needs_input',
      'verified',
    ]);
    expect((await reported('kyc.updated')).at(-1)?.data).to.deep.equal(verified);
    expect(made('verification')).to.have.length(1);
    expectRejected(await ask('POST', '/v2/kyc/processor-identity/session'), 'V2_KYC_VERIFIED');
    expectRejected(await ask('POST', '/v2/payouts/request', TEN_DOLLARS), 'V2_PAYOUT_ACCOUNT_NOT_READY');
  });

  it('connects one bank account, however often it is called', async () => {
    const opened = await ask('POST', '/v2/connect/accounts', { json: { country: 'US' } });
    const again = await ask('POST', '/v2/connect/accounts', { json: { country: 'US' } });
    const abroad = await ask('POST', '/v2/connect/accounts', { json: { country: 'DE' } });
    const link = await ask('POST', `/v2/connect/accounts/${opened.body.processor_account_id}/onboarding-link`);
    const unknown = await ask('POST', '/v2/connect/accounts/acct_unheard_of/onboarding-link');

    expect(opened.status).to.equal(200);
    expect(opened.body).to.include({ status: 'pending', payouts_enabled: false, details_submitted: false });
    expect(again.body.id).to.equal(opened.body.id);
    expect(made('account')).to.have.length(1);
    expectRejected(abroad, 'V2_CONNECT_ACCOUNT_EXISTS');
    expect(abroad.body.error.message).to.include('in US').and.include('PUT');
    expectRejected(unknown, 'V2_CONNECT_ACCOUNT_UNKNOWN');

    await press(link.body.onboarding_url, 'connect');
    const [connected] = await eventually(async () => {
      const { body } = await ask('GET', '/v2/connect/accounts');
      return body[0].payouts_enabled && body;
    });
    expect(connected).to.deep.include({
      status: 'active',
      bank_name: 'SANDBOX TEST BANK',
      last4: '6789',
      country: 'US',
    });
  });

  it('estimates the earnings, and pays no more', async () => {
    expect((await ask('GET', '/v2/payouts/estimate')).body).to.deep.equal({
      amount_usd: 0,
      amount_cents: 0,
      currency: 'usd',
      available: false,
    });
    expectRejected(await ask('POST', '/v2/payouts/request', TEN_DOLLARS), 'V2_ACCOUNT_NOT_FUNDED');
    await service.network({ subaccount_id: account.subaccount_id, bucket: 'SUBACCOUNT_FUNDED' });
    await settle(412.505);
    await ask('POST', `/v2/lifecycle/sync/${account.id}`);

    const estimate = await ask('GET', '/v2/payouts/estimate', { headers: { 'X-Prop-Account': account.id } });
    const tooMuch = await ask('POST', '/v2/payouts/request', { json: { amount_cents: 41_251 } });
    const both = await Promise.all(
      [1, 2].map(() =>
        ask('POST', '/v2/payouts/request', { json: { amount_cents: 30_000, prop_account_id: account.id } }),
      ),
    );

    expect(estimate.body).to.deep.equal({ amount_usd: 412.5, amount_cents: 41_250, currency: 'usd', available: true });
    expectRejected(tooMuch, 'V2_PAYOUT_EXCEEDS_EARNINGS', { effect: 'none' });
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 422]);
    payoutId = both.find(({ status }) => status === 200)?.body.id;
    expect((await ask('GET', '/v2/payouts/estimate')).body).to.include({ amount_cents: 11_250 });
  });

  it('moves the money once, although responses are lost and it is submitted twice', async () => {
    service.processor.faults.add({ kind: 'accept_then_drop', route: '/v1/transfers', times: 1 });
    service.processor.faults.add({ kind: 'accept_then_drop', route: '/v1/payouts', times: 1 });

    const replies = await Promise.all([1, 2].map(() => ask('POST', `/v2/payouts/${payoutId}/submit`)));

    for (const { status, body } of replies) {
      expect(status).to.equal(200);
      expect(body).to.include({ id: payoutId, transferred_cents: 30_000, reversed_cents: 0 });
      expect(body.status).to.be.oneOf(['submitted', 'transferred']);
    }
    await eventually(async () => made('payout').length === 1);
    expect(made('transfer')).to.have.length(1);
    expectRejected(await ask('POST', '/v2/payouts/po_unheard_of/submit'), 'V2_PAYOUT_UNKNOWN');
  });

  it('completes when the bank has the money, and fails when it is returned later', async () => {
    const id = made('payout')[0]?.detail.id;
    await service.control('payout', { id, to: 'paid' });
    const completed = await payoutIs('completed');
    await service.control('payout', { id, to: 'failed' });
    const failed = await payoutIs('failed');

    expect(completed.completed_at).to.be.a('string');
    expect(failed.failure_reason).to.equal('account_closed');
    expect((await reported('payout.completed')).map(({ data }) => data)).to.deep.equal([
      {
        payout_id: payoutId,
        user_id: trader.userId,
        amount_cents: 30_000,
        bank_amount_cents: 30_000,
        bank_currency: 'usd',
        transferred_cents: 30_000,
        reversed_cents: 0,
        currency: 'usd',
        status: 'completed',
        failure_reason: null,
      },
    ]);
    expect((await reported('payout.failed'))[0]?.data).to.include({ payout_id: payoutId, status: 'failed' });
    expect((await ask('GET', '/v2/payouts/estimate')).body).to.include({ amount_cents: 11_250 });
  });

  it('releases the amount once the transfer is reversed', async () => {
    await service.control('transfer', { id: made('transfer')[0]?.detail.id });

    await eventually(async () => (await ask('GET', '/v2/payouts/estimate')).body.amount_cents === 41_250);
  });

  it('fails a payout that the processor rejects, and allows a new one', async () => {
    service.processor.faults.add({ kind: 'reject', route: '/v1/transfers', times: 1 });
    payoutId = (await ask('POST', '/v2/payouts/request', { json: { amount_cents: 41_250 } })).body.id;

    expectRejected(await ask('POST', `/v2/payouts/${payoutId}/submit`), 'PROCESSOR_REJECTED');

    expect(await payoutIs('failed')).to.include({ failure_reason: 'scripted_rejection' });
    expect((await ask('GET', '/v2/payouts/estimate')).body).to.include({ amount_cents: 41_250 });
  });

  it('finds a payout that the bank has paid without a notification', async () => {
    payoutId = (await ask('POST', '/v2/payouts/request', { json: { amount_cents: 10_000 } })).body.id;
    await ask('POST', `/v2/payouts/${payoutId}/submit`);
    await eventually(async () => made('payout').length === 2);
    Object.assign(service.processor.notifications.travel, { hold: true });
    await service.control('payout', { id: made('payout')[1]?.detail.id, to: 'paid' });

    await eventually(async () => {
      await service.runTask('payouts/reconcile');
      const { body } = await ask('GET', '/v2/payouts');
      return body.some(
        (payout: { id: string; status: string }) => payout.id === payoutId && payout.status === 'completed',
      );
    });
  });

  it('ends or delays every step unsent while the processor is unreachable, and loses none', async () => {
    const app = await service.app(['api']);
    const admin = await service.admin();
    await admin.ask('PATCH', `/v2/admin/apps/${app.appId}`, { json: RETURN_URLS });
    const newUser = await service.user(app);
    payoutId = (await ask('POST', '/v2/payouts/request', TEN_DOLLARS)).body.id;
    await service.processor.close();

    const replies = await Promise.all([
      newUser.ask('POST', '/v2/kyc/processor-identity/session'),
      newUser.ask('POST', '/v2/connect/accounts', { json: { country: 'US' } }),
      ask('POST', `/v2/payouts/${payoutId}/submit`),
    ]);
    await Promise.all(['payments', 'payouts', 'kyc'].map((name) => service.runTask(`${name}/reconcile`)));

    const submitted = replies.pop();
    for (const reply of replies) expectUnsent(reply);
    expect(submitted?.body).to.include({ status: 'delayed', failure_reason: null, processor_transfer_id: null });
    expect((await payoutIs('delayed')).processor_transfer_id).to.equal(null);
  });
});
