import { expect } from 'chai';
import type { TestAdmin, TestUser } from '../../support/identity.ts';
import { accountIn, checkOut, type Money, startMoney, tier25k, tierDemo } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';
import { twice } from '../../support/twice.ts';

const CREATE = 'create-subaccount';

describe('money operations of operators', () => {
  let service: Money;
  let operator: TestAdmin;
  let buyer: TestUser;
  before(async () => {
    service = await startMoney();
    operator = await service.admin();
    buyer = await service.user(service.tenant);
  });
  after(() => service.stop());
  afterEach(() => service.miner.faults.clear());

  it('are forbidden to everyone else', async () => {
    for (const [method, path, json] of [
      ['GET', '/v2/admin/tiers', undefined],
      ['PUT', '/v2/admin/tiers/tier_x', { market: 'x', asset_class: 'crypto', account_size: 1, amount_cents: 0 }],
      ['GET', '/v2/admin/payments/unfulfilled', undefined],
      ['POST', '/v2/admin/payments/pay_x/refund', { reason: 'asked' }],
      ['POST', '/v2/admin/prop-accounts/prop_x/provision', { reason: 'asked' }],
      ['POST', '/v2/admin/prop-accounts/prop_x/attach', { subaccount_id: 1, reason: 'seen' }],
      ['POST', '/v2/admin/prop-accounts/prop_x/reinstate', { reason: 'asked' }],
    ] as const)
      expectRejected(await buyer.ask(method, path, { json }), 'V2_ADMIN_SESSION_INVALID');
  });

  it('create and change tiers, and take them off sale', async () => {
    const tier = { market: 'crypto', asset_class: 'crypto', account_size: 7_500, amount_cents: 8_800 };
    const ask = (json: object) => operator.ask('PUT', '/v2/admin/tiers/tier_seven', { json });

    const made = await ask(tier);
    const gone = await ask({ ...tier, active: false });
    const onSale = await buyer.ask('GET', '/v2/tiers');
    const all = await operator.ask('GET', '/v2/admin/tiers');

    expect(made.body).to.deep.equal({ tier_id: 'tier_seven', ...tier, currency: 'usd', active: true });
    expect(gone.body).to.include({ active: false });
    expect(onSale.body).not.to.deep.include(gone.body);
    expect(all.body).to.deep.include(gone.body);
    expectRejected(await ask({ ...tier, amount_cents: 49 }), 'INVALID_REQUEST');
    const bought = await buyer.ask('POST', '/v2/payments/checkout', { json: { tier_id: 'tier_seven', ...tier } });
    expectRejected(bought, 'V2_TIER_UNKNOWN');
  });

  it('change a tier for later checkouts: what was bought keeps its price and size', async () => {
    const terms = { market: 'crypto', asset_class: 'crypto', account_size: 7_500, amount_cents: 8_800 };
    const path = '/v2/admin/tiers/tier_kept';
    await operator.ask('PUT', path, { json: terms });
    const user = await service.user(service.tenant);
    const bought = await checkOut(user.ask, { tier_id: 'tier_kept', ...terms });

    const dearer = { ...terms, account_size: 9_000, amount_cents: 9_900 };
    await operator.ask('PUT', path, { json: dearer });
    const late = await user.ask('POST', '/v2/payments/checkout', { json: { tier_id: 'tier_kept', ...terms } });
    await service.control('payment', { id: bought.processor_payment_intent_id, to: 'succeeded' });
    const account = await accountIn(user.ask, 'evaluation');
    const { body: payment } = await user.ask('GET', `/v2/payments/${bought.payment_id}`);

    expect(account).to.include({ tier_id: 'tier_kept', account_size: 7_500 });
    expect(payment).to.include({ status: 'succeeded', amount_cents: 8_800 });
    expect(late.status, JSON.stringify(late.body)).to.equal(422);
    const { body: audit } = await operator.ask('GET', '/v2/admin/audit?subject=tier_kept');
    expect(audit.map(({ detail }: { detail: { amount_cents: number } }) => detail.amount_cents)).to.deep.equal([
      9_900, 8_800,
    ]);
  });

  it('show unfulfilled payments, provision again, refund and reinstate', async () => {
    service.miner.faults.add({ kind: 'reject', route: CREATE, times: 1 });
    const { payment_id, processor_payment_intent_id: id } = await checkOut(buyer.ask, tier25k);
    await service.control('payment', { id, to: 'succeeded' });
    const failed = await accountIn(buyer.ask, 'subaccount_failed');
    const json = { reason: 'the customer wrote' };
    const act = (path: string) => operator.ask('POST', path, { json });
    const actTwice = (path: string) => twice(operator.ask, 'POST', path, { json });

    const unfulfilled = await operator.ask('GET', '/v2/admin/payments/unfulfilled?minutes=0');
    const again = await actTwice(`/v2/admin/prop-accounts/${failed.id}/provision`);
    await accountIn(buyer.ask, 'evaluation');
    const late = await act(`/v2/admin/prop-accounts/${failed.id}/provision`);
    const refund = await actTwice(`/v2/admin/payments/${payment_id}/refund`);
    const stopped = await accountIn(buyer.ask, 'eliminated');
    const reinstated = await actTwice(`/v2/admin/prop-accounts/${failed.id}/reinstate`);

    expect(unfulfilled.body).to.have.length(1);
    expect(unfulfilled.body[0]).to.include({ payment_id, safe_action: 'provision again, or refund' });
    expect(again.body).to.include({ id: failed.id, status: 'provisioning' });
    expectRejected(late, 'V2_ACCOUNT_NOT_FAILED', { effect: 'none' });
    expect(refund.body).to.include({ payment_id, status: 'succeeded' });
    expect(stopped).to.include({ id: failed.id, failure_reason: 'refunded' });
    expect(reinstated.body).to.include({ id: failed.id });
    await accountIn(buyer.ask, 'evaluation');
    expectRejected(await act(`/v2/admin/payments/${payment_id}/refund`), 'V2_PAYMENT_NOT_REFUNDABLE');
    expectRejected(await act('/v2/admin/payments/pay_nobody/refund'), 'V2_PAYMENT_UNKNOWN');
    expectRejected(await act('/v2/admin/prop-accounts/prop_x/provision'), 'V2_PROP_ACCOUNT_UNKNOWN');
  });

  it('attach only a subaccount that matches and has no owner', async () => {
    const user = await service.user(service.tenant);
    service.miner.faults.add({ kind: 'reject', route: CREATE, times: 1 });
    const failed = (await user.ask('POST', '/v2/payments/free', { json: tierDemo })).body;
    const [wrong, right] = [service.miner.addSubaccounts(1, { size: 5_000 })[0], service.miner.addSubaccounts(1)[0]];
    const path = `/v2/admin/prop-accounts/${failed.id}/attach`;
    const bodyOf = (subaccount_id: unknown) => ({ json: { subaccount_id, reason: 'seen at the network' } });
    const attach = (subaccount_id: unknown) => operator.ask('POST', path, bodyOf(subaccount_id));

    for (const findInconsistency of [wrong, 999_999])
      expectRejected(await attach(findInconsistency), 'V2_SUBACCOUNT_INVALID', { effect: 'none' });
    const attached = await twice(operator.ask, 'POST', path, bodyOf(right));

    expect(attached.status).to.equal(200);
    expect(await accountIn(user.ask, 'evaluation')).to.include({ id: failed.id, subaccount_id: right });
    expectRejected(await attach(right), 'V2_ACCOUNT_NOT_FAILED');
  });
});
