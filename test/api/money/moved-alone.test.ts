import { expect } from 'chai';
import { sql } from 'slonik';
import type { TestAdmin } from '../../support/identity.ts';
import { accountIn, checkOut, type Money, startMoney, tier25k } from '../../support/money.ts';

/** Two prices of an account, and not three. */
const LIMIT_CENTS = 2 * tier25k.amount_cents + 100;

describe('an operator who splits an amount', function () {
  this.timeout(60_000);
  let service: Money;
  let [one, two]: TestAdmin[] = [];
  before(async () => {
    service = await startMoney({ settings: { DUAL_CONTROL_CENTS: String(LIMIT_CENTS) } });
    [one, two] = [await service.admin(true, 'finance'), await service.admin(true, 'finance')];
  });
  after(() => service.stop());

  async function bought(): Promise<string> {
    const user = await service.user(service.tenant);
    const { payment_id, processor_payment_intent_id: id } = await checkOut(user.ask, tier25k);
    await service.control('payment', { id, to: 'succeeded' });
    await accountIn(user.ask, 'evaluation');
    return payment_id;
  }
  const refund = (by: TestAdmin | undefined, payment: string) =>
    (by as TestAdmin).ask('POST', `/v2/admin/payments/${payment}/refund`, { json: { reason: 'asked for it' } }); // as: set before
  const refunded = async () =>
    (await service.db.any(sql.unsafe`select from intents where kind = 'payments/refund'`)).length;

  it('moves no more in a day than in one request without another operator, also by requests at once', async () => {
    const payments = [await bought(), await bought(), await bought()];

    const replies = await Promise.all(payments.map((payment) => refund(one, payment)));

    const held = replies.findIndex(({ body }) => body.error?.code === 'V2_APPROVAL_REQUIRED');
    expect(replies.map(({ body }) => body.error?.code ?? body.status).sort()).to.deep.equal([
      'V2_APPROVAL_REQUIRED',
      'succeeded',
      'succeeded',
    ]);
    expect(await refunded()).to.equal(2);

    const json = { reason: 'called back' };
    await two?.ask('POST', `/v2/admin/approvals/${replies[held]?.body.error.approval_id}/approve`, { json });
    const approved = await refund(one, payments[held] ?? '');
    expect(approved.body).to.include({ status: 'succeeded' });
    expect(await refunded()).to.equal(3);
  });

  it('moves as much again the next day, and another operator may today', async () => {
    const [early, late, other] = [await bought(), await bought(), await service.admin(true, 'finance')];
    await service.db.query(sql.unsafe`
      insert into admin_audit (admin_id, action, subject, detail, at)
      values (${other.adminId}, 'money.move_alone', 'pay_of_yesterday', ${JSON.stringify({ cents: LIMIT_CENTS })}, now() - interval '24 hours')`);

    const [refused, allowed] = [await refund(one, early), await refund(other, late)];

    expect([refused.body.error?.code, allowed.body.status]).to.deep.equal(['V2_APPROVAL_REQUIRED', 'succeeded']);
  });

  it('has moved nothing by requests that are rejected, and a payment once however often it is asked for', async () => {
    const [careful, payment] = [await service.admin(true, 'finance'), await bought()];
    for (const nobody of ['pay_nobody', 'pay_nothing']) await refund(careful, nobody);
    for (let n = 0; n < 4; n++) await refund(careful, payment);

    const others = [await refund(careful, await bought()), await refund(careful, await bought())];

    expect(others.map(({ body }) => body.error?.code ?? body.status)).to.deep.equal([
      'succeeded',
      'V2_APPROVAL_REQUIRED',
    ]);
  });
});
