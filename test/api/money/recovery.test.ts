import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { attachSubaccount, reinstateAccount } from '../../../src/capabilities/accounts/prop/commands.ts';
import { provisionAgain } from '../../../src/capabilities/accounts/prop/intents.ts';
import { refundPayment } from '../../../src/capabilities/payments/intents.ts';
import type { TestUser } from '../../support/identity.ts';
import { accountIn, checkOut, eventually, type Money, startMoney, tier25k } from '../../support/money.ts';
import { ENTITY } from '../../support/service.ts';

const CREATE = 'create-subaccount';
const OPERATOR = 'operator@example.com';
const BY = { operator: OPERATOR, reason: 'the customer wrote' };
const unfulfilledRow = z.object({
  payment_id: z.string(),
  safe_action: z.string(),
  failure_reason: z.string().nullable(),
});
const actionRow = z.object({ action: z.string(), operator: z.string() });

describe('an operator', () => {
  let service: Money;
  let user: TestUser;
  let paymentId: string;
  before(async () => {
    service = await startMoney({ settings: { NETVENUE_IN_FLIGHT_MS: '300', NETVENUE_PATIENCE_MS: '300' } });
  });
  after(() => service.stop());
  afterEach(() => service.miner.faults.clear());

  /** A user whose paid account creation has this outcome. */
  async function paidFor(status: string) {
    user = await service.user(service.tenant);
    const { payment_id, processor_payment_intent_id: id } = await checkOut(user.ask, tier25k);
    paymentId = payment_id;
    await service.control('payment', { id, to: 'succeeded' });
    return accountIn(user.ask, status);
  }
  const unfulfilled = async () =>
    (
      await service.db.any(sql.type(unfulfilledRow)`
        select u.payment_id, u.safe_action, u.failure_reason from ops.list_paid_without_account(0) u`)
    ).find(({ payment_id }) => payment_id === paymentId);
  const actions = (account: string) =>
    service.db.any(sql.type(actionRow)`
      select o.action, o.operator
      from operator_actions o
      where o.prop_account_id = ${account} or o.payment_id = ${paymentId}
      order by o.id`);
  const made = () => service.miner.ledger.entries().filter(({ kind }) => kind === 'subaccount').length;
  const rejected = (work: Promise<unknown>, code: string) =>
    work.then(
      () => expect.fail(`not rejected with ${code}`),
      (error) => expect(error).to.have.property('code', code),
    );

  it('sees an unfulfilled payment, and provisions again what was provably never created', async () => {
    service.miner.faults.add({ kind: 'reject', route: CREATE, times: 1 });
    const failed = await paidFor('subaccount_failed');
    expect(await unfulfilled()).to.include({
      safe_action: 'provision again, or refund',
      failure_reason: 'insufficient_collateral',
    });
    const before = made();

    await provisionAgain(service.db, failed.id, BY, 60_000);

    expect(await accountIn(user.ask, 'evaluation')).to.include({ id: failed.id, failure_reason: null });
    expect(made()).to.equal(before + 1);
    expect(await unfulfilled()).to.equal(undefined);
    expect(await actions(failed.id)).to.deep.equal([{ action: 'provision_again', operator: OPERATOR }]);
    await rejected(provisionAgain(service.db, failed.id, BY, 60_000), 'V2_ACCOUNT_NOT_FAILED');
  });

  it('cannot provision again what may have been created, but can attach it', async () => {
    service.miner.faults.add({ kind: 'accept_then_drop', route: CREATE, times: 1 });
    service.miner.faults.add({ kind: 'status_500', route: '/entity/' });
    const before = made();
    const paying = paidFor('subaccount_failed');
    await eventually(async () => made() > before);
    service.miner.addSubaccounts(1, { size: 25_000 }); // of another user, with the same size and class
    service.miner.faults.clear();
    const failed = await paying;
    const subaccounts = service.miner.ledger.entries().filter(({ kind }) => kind === 'subaccount');
    const expected = subaccounts.at(-2);

    expect(failed).to.include({ failure_reason: 'subaccount_ambiguous', subaccount_id: null });
    expect(await unfulfilled()).to.include({ safe_action: 'look at the network: attach what was made, or refund' });
    await rejected(provisionAgain(service.db, failed.id, BY, 60_000), 'V2_RECOVERY_UNPROVEN');
    const subaccount = {
      subaccountId: Number(expected?.subaccount_id),
      subaccountUuid: expected?.key ?? null,
      syntheticHotkey: `${ENTITY}_${expected?.subaccount_id}`,
      assetClass: 'crypto',
      accountSize: 25_000,
      status: 'active',
      createdMs: null,
      exAddress: null,
      payoutAddress: null,
    };
    await attachSubaccount(service.db, failed.id, BY, ENTITY, subaccount);

    expect(await accountIn(user.ask, 'evaluation')).to.include({
      id: failed.id,
      subaccount_id: subaccount.subaccountId,
    });
    expect((await actions(failed.id)).map(({ action }) => action)).to.deep.equal(['attach']);

    service.miner.faults.add({ kind: 'reject', route: CREATE, times: 1 });
    const other = await paidFor('subaccount_failed');
    await rejected(attachSubaccount(service.db, other.id, BY, ENTITY, subaccount), 'V2_SUBACCOUNT_INVALID');
  });

  it('refunds the money once, although the response is lost; the account is stopped until it is reinstated', async () => {
    const account = await paidFor('evaluation');
    service.processor.faults.add({ kind: 'accept_then_drop', route: '/v1/refunds', times: 1 });
    const refund = () => refundPayment(service.db, paymentId, { ...BY, requestId: 'req_1' }, 10_000);

    await refund();

    const stopped = await accountIn(user.ask, 'eliminated');
    expect(stopped).to.include({ id: account.id, failure_reason: 'refunded' });
    const refunds = service.processor.ledger.entries().filter(({ kind }) => kind === 'refund');
    expect(refunds).to.have.length(1);
    await eventually(async () => (await user.ask('GET', `/v2/payments/${paymentId}`)).body.status === 'refunded');
    await rejected(refund(), 'V2_PAYMENT_NOT_REFUNDABLE');

    await reinstateAccount(service.db, account.id, BY);

    expect(await accountIn(user.ask, 'evaluation')).to.include({ id: account.id, failure_reason: null });
    expect((await actions(account.id)).map(({ action }) => action)).to.deep.equal(['refund', 'reinstate']);
  });

  it('cannot reinstate what the network has eliminated', async () => {
    const account = await paidFor('evaluation');
    await service.network({ subaccount_id: account.subaccount_id, elimination: 'LIQUIDATED' });
    const { body } = await user.ask('POST', `/v2/lifecycle/sync/${account.id}`);

    expect(body).to.include({ status: 'eliminated', synced: true });
    await rejected(reinstateAccount(service.db, account.id, BY), 'V2_ACCOUNT_NOT_FAILED');
  });

  it('reinstates what the payment has stopped, whatever its reason: no function lists the reasons', async () => {
    const account = await paidFor('evaluation');
    await service.db.query(sql.unsafe`alter table payments drop constraint payments_stop_known`);
    await service.db.query(sql.unsafe`update payments set stopped_for = 'newly_thought_of' where id = ${paymentId}`);
    await service.db.query(sql.unsafe`
      update prop_accounts set status = 'eliminated', failure_reason = 'newly_thought_of' where id = ${account.id}`);
    expect(await unfulfilled()).to.deep.include({
      payment_id: paymentId,
      safe_action: 'reinstate, or refund the rest',
      failure_reason: 'newly_thought_of',
    });

    await reinstateAccount(service.db, account.id, BY);

    expect(await accountIn(user.ask, 'evaluation')).to.include({ id: account.id, failure_reason: null });
  });

  it('need not act when the sweep finds a state changed by the network', async () => {
    const account = await paidFor('evaluation');
    await service.network({ subaccount_id: account.subaccount_id, bucket: 'SUBACCOUNT_FUNDED' });

    await service.runTask('accounts/sweep');

    expect(await accountIn(user.ask, 'funded')).to.have.property('id', account.id);
  });

  it('leaves an account unchanged while the network cannot be read', async () => {
    const account = await paidFor('evaluation');
    service.miner.faults.add({ kind: 'status_500', route: '/v2/entity/subaccount' });

    const { status, body } = await user.ask('POST', `/v2/lifecycle/sync/${account.id}`);

    expect(status).to.equal(200);
    expect(body).to.include({ status: 'evaluation', synced: false });
  });
});
