import { expect } from 'chai';
import { sql } from 'slonik';
import { codeIn, fresh, PASSWORD, resetTokenIn, type TestApp } from '../support/identity.ts';
import { accountIn, tier25k, tierDemo } from '../support/money.ts';
import { ClientError, faultsOf, PublishedClient } from '../support/published.ts';
import { startTrading, type Trading } from '../support/trading.ts';

const ACCOUNT =
  'id string, tier_id string, asset_class string, account_size number, status string, subaccount_id? number, subaccount_uuid? string, synthetic_hotkey? string, processor_payment_intent_id? string';
const PAYOUT =
  'id string, amount_cents number, currency string, status string, processor_transfer_id? string, failure_reason? string, requested_at? string, completed_at? string';
const CONNECTED =
  'id string, processor_account_id string, status? string, payouts_enabled boolean, charges_enabled boolean, details_submitted boolean';
const TRADED = 'success boolean, order_uuid? string, message? string, processing_time? number';
const WEBHOOK = 'id string, url string, events strings, active boolean, description? string';
const NEW_PASSWORD = 'another correct horse battery';

describe('the published client', function () {
  this.timeout(60_000);
  let service: Trading;
  let tenant: TestApp;
  let client: PublishedClient;
  let free: { id: string };
  const email = `${fresh('ada')}@example.com`;

  before(async () => {
    service = await startTrading();
    tenant = await service.app(['*']);
    await (await service.admin()).ask('PATCH', `/v2/admin/apps/${tenant.appId}`, {
      json: { connect_return_url: 'https://example.com/back', connect_refresh_url: 'https://example.com/again' },
    });
    client = new PublishedClient(service.url, { id: tenant.appId, secret: tenant.secret, scope: 'api payouts:write' });
    await client.signUp(email, PASSWORD);
    const { session_token } = await client.verifyEmail(email, codeIn((await service.mailTo(email)).text));
    client.session = session_token;
    free = await client.freeAccount(tierDemo);
    await accountIn(accountsAsk, 'evaluation');
  });
  after(() => service.stop());

  /** Expects the members that the client reads. */
  const reads = (body: Record<string, unknown>, members: string) =>
    expect(faultsOf(body, members), JSON.stringify(body)).to.deep.equal([]);
  const failure = (call: Promise<unknown>): Promise<ClientError> =>
    call.then(
      () => expect.fail('no error'),
      (error) => {
        expect(error).to.be.instanceOf(ClientError);
        return error;
      },
    );
  const accountsAsk = async () => ({ status: 200, headers: new Headers(), body: await client.propAccounts() });

  it('signs up, verifies, logs in and out, and resets the password', async () => {
    const bob = `${fresh('bob')}@example.com`;
    const signed = await client.signUp(bob, PASSWORD);
    await service.mailTo(bob); // two mails under way may arrive in either order
    const again = await client.resendOtp(bob);
    const verified = await client.verifyEmail(bob, codeIn((await service.mailTo(bob, 2)).text));
    const logged = await client.logIn(bob, PASSWORD);
    const out = await client.logOut(logged.session_token);
    const asked = await client.requestReset(bob);
    const token = resetTokenIn((await service.mailTo(bob, 3)).text);
    const reset = await client.confirmReset(bob, token, NEW_PASSWORD);
    const wrong = await failure(client.logIn(bob, PASSWORD));
    const me = await client.me();

    reads(signed, 'user_id string, email string, email_verified boolean, otp_sent boolean');
    const session = 'session_token string, session_expires_at string';
    reads(verified, `user_id string, email string, email_verified boolean, ${session}`);
    reads(logged, `user_id string, email string, mfa_required boolean, ${session}`);
    expect([again, asked]).to.deep.equal([{ sent: true }, { sent: true }]);
    expect([out, reset]).to.deep.equal([{ revoked: true }, { reset: true }]);
    expect(wrong).to.include({ status: 401, code: 'V2_INVALID_CREDENTIALS', retryable: false });
    expect(wrong.message).not.to.equal('');
    reads(me, 'user_id string, email string, app_id string');
    expect(me).to.include({ email, app_id: tenant.appId });
  });

  it('reads app and principal, whose network identity is null on the platform’s miner', async () => {
    reads(await client.principal(), 'app_id string, slug string, entity_hotkey? string, scopes strings');
    reads(
      await client.currentApp(),
      'app_id string, slug string, name string, entity_hotkey? string, allowed_scopes strings, active boolean',
    );
  });

  it('reads the state of the identity check, and begins one', async () => {
    const none = await client.kycStatus();
    const session = await client.kycSession();
    const begun = await client.kycStatus();

    const members =
      'user_id string, kyc_provider? string, kyc_status string, kyc_verified_at? string, kyc_failure_reason? string';
    for (const status of [none, begun]) reads(status, members);
    expect(none.kyc_status).to.equal('unverified');
    reads(session, 'client_secret string, session_id string');
  });

  it('buys an account and has opened a free one, and reads both', async () => {
    const bought = await client.checkOut(tier25k);
    const listed = await client.propAccounts();
    const one = await client.propAccount(free.id);
    const missing = await failure(client.propAccount('prop_nobodysnobodysnobodys'));

    reads(
      bought,
      'payment_id string, processor_payment_intent_id string, client_secret string, amount_cents number, currency string, status string',
    );
    for (const each of [free, one, ...listed]) reads(each, ACCOUNT);
    expect(listed[0].id).to.equal(free.id);
    expect(missing).to.include({ status: 404, code: 'V2_PROP_ACCOUNT_UNKNOWN' });
  });

  it('trades: places, edits, protects, cancels and closes, and reads the desk', async () => {
    const { id } = free;
    const placed = await client.placeOrder({ trade_pair: 'BTCUSDC', order_type: 'LONG', leverage: 0.1 }, id);
    const form = {
      trade_pair: 'ETHUSDC',
      order_type: 'LONG',
      execution_type: 'LIMIT',
      limit_price: 1_000,
      quantity: 0.1,
    };
    const rests = await client.placeOrder(form, id);
    const edited = await client.edit(rests.order_uuid, { ...form, limit_price: 1_001 }, id);
    const protects = { trade_pair: 'BTCUSDC', order_type: 'FLAT', take_profit: 200_000, stop_loss: 1_000 };
    const guarded = await client.tpSl(protects, id);
    const [positions, orders, desk, balance] = await Promise.all([
      client.trading('positions', id),
      client.trading('orders', id),
      client.trading('desk-poll', id),
      client.trading('balance', id),
    ]);
    const cancelled = await client.cancel(rests.order_uuid, 'ETHUSDC', id);
    const closed = await client.close('BTCUSDC', id);
    await client.placeOrder({ trade_pair: 'ETHUSDC', order_type: 'SHORT', leverage: 0.1 }, id);
    const [held] = await client.trading('positions', id);
    const many = await client.bulkClose([held.position_uuid], id);
    const history = await client.trading('history', id);
    const none = await failure(client.close('BTCUSDC', id));

    for (const result of [placed, rests, edited, guarded, cancelled, closed]) reads(result, TRADED);
    for (const { success } of [placed, rests, edited, guarded, cancelled, closed]) expect(success).to.equal(true);
    const position =
      'position_uuid string, trade_pair string, position_type string, net_leverage? number, current_return? string';
    for (const each of [...positions, ...desk.positions]) {
      const numeric = { ...each, net_leverage: Number(each.net_leverage) };
      reads(numeric, position);
      expect(Number(each.current_return)).to.be.within(0.5, 1.5);
      expect(each.position_type).to.equal('LONG');
    }
    const open = orders.find(({ order_uuid }: { order_uuid: string }) => order_uuid === rests.order_uuid);
    for (const each of [
      open,
      ...desk.orders.filter((order: { trade_pair: string }) => order.trade_pair === 'ETHUSDC'),
    ]) {
      reads(each, 'order_uuid string, trade_pair string, order_type string');
      expect(Number(each.limit_price)).to.equal(1_001);
      const terms = { quantity: 0.1, leverage: null, value: null, stop_price: null, remaining: 0.1 };
      expect(each).to.include({ ...terms, take_profit: null, stop_loss: null, trailing_stop: null });
    }
    expect(positions).to.have.length(1);
    reads(balance, 'account_size number, status string');
    reads(desk.balance, 'account_size number, status string');
    expect(balance.subaccount_info).to.be.an('object');
    expect(many.success).to.equal(true);
    expect(history).to.have.length(2);
    for (const each of history)
      expect(Number.isFinite(Number(each.realized_pnl)) && each.trade_pair !== null).to.equal(true);
    expect(none).to.include({ status: 409, code: 'V2_NO_POSITION', retryable: false });
  });

  it('connects a bank account, and requests and submits a payout', async () => {
    const { id } = free;
    const { user_id } = await client.me();
    const opened = await client.openConnectAccount();
    await service.control('account', { id: opened.processor_account_id });
    const link = await client.onboardingLink(opened.processor_account_id);
    const unverified = await failure(client.requestPayout({ amount_cents: 1_000, prop_account_id: id }));
    await service.db.query(sql.unsafe`
      insert into kyc_cases (user_id, owner, provider, session_id, status, verified_at)
      values (${user_id}, ${tenant.appId}, 'processor_identity', ${`vs_${user_id}`}, 'verified', now())
      on conflict (user_id) do update set status = 'verified', verified_at = now()`);
    await service.db.query(sql.unsafe`
      update connect_accounts set payouts_enabled = true, charges_enabled = true, details_submitted = true
      where user_id = ${user_id}`);
    const { subaccount_id } = await client.propAccount(id);
    await service.network({
      subaccount_id,
      bucket: 'SUBACCOUNT_FUNDED',
      settlements: [{ start_ms: 1_767_571_200_000, end_ms: 1_767_571_200_001, payout: 500 }],
    });
    await client.call('POST', `/v2/lifecycle/sync/${id}`);
    const estimate = await client.estimate(id);
    const requested = await client.requestPayout({ amount_cents: 1_000, prop_account_id: id });
    const submitted = await client.submitPayout(requested.id);
    const [accounts, payouts] = [await client.connectAccounts(), await client.payouts()];

    reads(opened, `${CONNECTED}, onboarding_url string`);
    reads(link, 'onboarding_url string');
    for (const each of accounts) reads(each, `${CONNECTED}, bank_name? string, last4? string, country? string`);
    reads(estimate, 'amount_usd number, amount_cents number, currency string, available boolean');
    expect(estimate).to.include({ amount_usd: 500, amount_cents: 50_000, available: true });
    for (const each of [requested, submitted, ...payouts]) reads(each, PAYOUT);
    expect([accounts.length, payouts.length]).to.deep.equal([1, 1]);
    expect(unverified).to.include({ status: 403, code: 'V2_KYC_REQUIRED' });
  });

  it('signs agreements and reads them', async () => {
    const none = await client.agreementStatus();
    const signed = await client.sign({ agreement_version: '1', signature_name: 'Ada Lovelace' });
    const status = await client.agreementStatus();
    const audits = await client.audits();

    expect(none).to.include({ signed: false, signed_at: null, agreement_version: null });
    for (const each of [signed, status]) reads(each, 'signed boolean, signed_at string, agreement_version string');
    reads(
      audits[0],
      'id string, agreement_version string, signature_name string, signed_at string, document_url? string',
    );
  });

  it('makes, lists and revokes trader keys', async () => {
    const bound = await client.createKey({ label: 'bot', prop_account_id: free.id });
    const unbound = await client.createKey({ label: 'other' });
    const listed = await client.keys();
    const revoked = await client.revokeKey(bound.id);

    for (const each of [bound, unbound])
      reads(each, 'id string, label string, key_id string, key_secret string, prop_account_id? string');
    for (const each of listed) reads(each, 'id string, label string, key_id string, revoked_at? string');
    expect(revoked).to.deep.equal({ revoked: true });
  });

  it('registers, lists and removes webhook endpoints', async () => {
    const made = await client.registerWebhook({ url: 'https://hooks.example.com/x', events: ['*'] });
    const listed = await client.webhooks();
    const removed = await client.removeWebhook(made.id);
    const unknown = await failure(client.registerWebhook({ url: 'https://hooks.example.com/x', events: ['nothing'] }));

    reads(made, `${WEBHOOK}, secret string`);
    for (const each of listed) reads(each, WEBHOOK);
    expect(removed).to.deep.equal({ deactivated: true });
    expect(unknown).to.include({ status: 422, code: 'V2_WEBHOOK_UNKNOWN_EVENT' });
  });
});
