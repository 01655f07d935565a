import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { everythingIn } from '../../support/canary.ts';
import { asking, bearer, type TestApp } from '../../support/identity.ts';
import { checkOut, type Money, startMoney } from '../../support/money.ts';

describe('credentials that the processor issues for users', () => {
  let service: Money;
  let tenant: TestApp;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '0' }, notified: false });
    tenant = await service.app(['api']);
    await (await service.admin()).ask('PATCH', `/v2/admin/apps/${tenant.appId}`, {
      json: { connect_return_url: 'https://example.com/back', connect_refresh_url: 'https://example.com/again' },
    });
  });
  after(() => service.stop());

  const expectSealed = async (secret: string) => {
    const held = await everythingIn(String(service.settings.DATABASE_URL));
    expect(held.filter(({ text }) => text.includes(secret)).map(({ where }) => where)).to.deep.equal([]);
  };
  const reconcile = (paymentId: string) => service.runTask('payments/read', { payment_id: paymentId });

  it('keeps the secret of a checkout sealed while it is shown, and deletes it with the payment', async () => {
    const { payment_id, client_secret } = await checkOut(service.buyer.ask);

    await expectSealed(client_secret);
    expect((await service.buyer.ask('GET', `/v2/payments/${payment_id}`)).body.client_secret).to.equal(client_secret);

    await fetch(`${service.processor.url}/sandbox/pay/${client_secret}`, {
      method: 'POST',
      body: new URLSearchParams({ do: 'pay' }),
    });
    await reconcile(payment_id);
    const paid = await service.buyer.ask('GET', `/v2/payments/${payment_id}`);
    expect(paid.body).to.include({ status: 'succeeded', client_secret: null });
    const sealed = await service.db.oneFirst(sql.type(z.object({ sealed: z.boolean() }))`
      select sealed_client_secret is not null as sealed from payments where id = ${payment_id}`);
    expect(sealed).to.equal(false);
  });

  it('reads a missing secret again from the processor', async () => {
    const { payment_id, client_secret } = await checkOut(service.buyer.ask);

    await service.db.query(sql.unsafe`update payments set sealed_client_secret = null where id = ${payment_id}`);
    await reconcile(payment_id);

    const shown = await service.buyer.ask('GET', `/v2/payments/${payment_id}`);
    expect(shown.body.client_secret).to.equal(client_secret);
  });

  it('keeps the link to a verification sealed, and shows it again on a repeat or a poll', async () => {
    const trader = await service.user(tenant);
    const headers = { 'Idempotency-Key': 'verify-me' };

    const first = await trader.ask('POST', '/v2/kyc/processor-identity/session', { headers });
    const again = await trader.ask('POST', '/v2/kyc/processor-identity/session', { headers });
    const polled = await trader.ask('GET', `/v2/intents/${first.headers.get('intent-id')}`);

    await expectSealed(first.body.client_secret);
    await expectSealed(first.body.url);
    expect(again.body).to.deep.equal(first.body);
    expect(polled.body.result).to.deep.equal(first.body);
  });

  it('keeps the link to a bank account sealed too', async () => {
    const trader = await service.user(tenant);

    const opened = await trader.ask('POST', '/v2/connect/accounts', { json: { country: 'US' } });

    expect(opened.body.onboarding_url).to.match(/^http/);
    await expectSealed(opened.body.onboarding_url);
  });

  it('shows the members by which one acts as a user to no token that may only read', async () => {
    const trader = await service.user(tenant);
    const verification = await trader.ask('POST', '/v2/kyc/processor-identity/session');
    const opened = await trader.ask('POST', '/v2/connect/accounts', { json: { country: 'US' } });
    const { access_token } = (await service.token(tenant, 'reads')).body;
    const polled = (ask: typeof tenant.ask, { headers }: typeof opened) =>
      ask('GET', `/v2/intents/${headers.get('intent-id')}`);
    const reader = asking(service.url, bearer(access_token));

    const read = [await polled(reader, verification), await polled(reader, opened)];
    const full = [await polled(tenant.ask, verification), await polled(tenant.ask, opened)];

    expect(read.map(({ status, body }) => [status, body.state, body.result])).to.deep.equal([
      [200, 'succeeded', { session_id: verification.body.session_id }],
      [200, 'succeeded', {}],
    ]);
    expect(full.map(({ body }) => body.result)).to.deep.equal([
      verification.body,
      { onboarding_url: opened.body.onboarding_url },
    ]);
    const checkout = await checkOut(trader.ask);
    const payment = `/v2/payments/${checkout.payment_id}`;
    const session = { 'X-Session-Token': trader.session };
    const shown = await asking(service.url, { ...bearer(access_token), ...session })('GET', payment);
    expect([shown.status, shown.body.client_secret]).to.deep.equal([200, null]);
    expect((await trader.ask('GET', payment)).body.client_secret).to.equal(checkout.client_secret);
  });
});
