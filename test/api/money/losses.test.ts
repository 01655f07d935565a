import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { TestAdmin, TestUser } from '../../support/identity.ts';
import { accountIn, checkOut, eventually, type Money, startMoney, tier25k } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';
import { twice } from '../../support/twice.ts';

const PRICE = tier25k.amount_cents;
const REASON = { json: { reason: 'the customer stays' } };

describe('money that comes back', () => {
  let service: Money;
  let operator: TestAdmin;
  let user: TestUser;
  let paymentId: string;
  let processorId: string;
  before(async () => {
    service = await startMoney();
    operator = await service.admin();
  });
  after(() => service.stop());
  afterEach(() => service.control('settings', { refundStatus: 'succeeded' }));

  /** A payment of a new user, which has been received. */
  async function paid() {
    user = await service.user(service.tenant);
    const checkout = await checkOut(user.ask, tier25k);
    paymentId = checkout.payment_id;
    processorId = checkout.processor_payment_intent_id;
    await move('succeeded');
  }
  const bought = async () => {
    await paid();
    return accountIn(user.ask, 'evaluation');
  };
  const move = (to: string, amount?: number) =>
    service.control('payment', { id: processorId, to, ...(amount && { amount }) });
  const newest = (type: string) => {
    const event = service.processor.events.findLast((each) => each.type === type);
    return String(Object(event?.data.object).id);
  };
  const payment = async () => (await user.ask('GET', `/v2/payments/${paymentId}`)).body;
  const figures = (wanted: object) =>
    eventually(async () => {
      const { refunded_cents, disputed_cents } = await payment();
      return JSON.stringify({ refunded_cents, disputed_cents }) === JSON.stringify(wanted);
    });
  const listed = async () => {
    const { body } = await operator.ask('GET', '/v2/admin/payments/unfulfilled?minutes=0');
    return body.find((each: { payment_id: string }) => each.payment_id === paymentId);
  };
  const reinstate = (id: string) => operator.ask('POST', `/v2/admin/prop-accounts/${id}/reinstate`, REASON);
  const outcomeOf = (type: string) =>
    eventually(() =>
      service.db.maybeOneFirst(sql.type(z.object({ outcome: z.string().nullable() }))`
        select e.outcome from processor_events e where e.type = ${type} order by e.received_at desc limit 1`),
    );

  it('counts a refund once, although its response and two kinds of events report it', async () => {
    await bought();

    const refund = await operator.ask('POST', `/v2/admin/payments/${paymentId}/refund`, REASON);

    expect(refund.body).to.include({ payment_id: paymentId, status: 'succeeded' });
    await accountIn(user.ask, 'eliminated');
    await eventually(async () => (await outcomeOf('charge.refunded')) !== null);
    expect(await payment()).to.include({
      received_cents: PRICE,
      refunded_cents: PRICE,
      disputed_cents: 0,
      status: 'refunded',
    });
    expect(await listed()).to.equal(undefined);
  });

  it('is in the state that a search and its user’s page show, as the payment itself says', async () => {
    await bought();
    const found = async () => {
      const app = await user.ask('GET', `/v2/search?q=${paymentId}`);
      const console = await operator.ask('GET', `/v2/admin/search?q=${processorId}`);
      const page = await operator.ask('GET', `/v2/admin/users/${user.userId}`);
      return [(await payment()).status, app.body[0].state, console.body.records[0].state, page.body.payments[0].status];
    };

    const first = await found();
    await move('refunded', 100);
    await accountIn(user.ask, 'eliminated');
    const second = await found();
    await move('disputed', 100);
    await eventually(async () => (await payment()).status === 'disputed');

    expect([first, second, await found()]).to.deep.equal(
      ['succeeded', 'refunded', 'disputed'].map((state) => Array(4).fill(state)),
    );
  });

  it('lists what is kept when a dollar is refunded, until the account is reinstated', async () => {
    const { id } = await bought();

    await move('refunded', 100);
    await accountIn(user.ask, 'eliminated');

    expect(await listed()).to.include({ held_cents: PRICE - 100, safe_action: 'reinstate, or refund the rest' });
    expect((await reinstate(id)).status).to.equal(200);
    await accountIn(user.ask, 'evaluation');
    expect(await listed()).to.equal(undefined);
  });

  it('stops the account again at each further loss after a reinstatement', async () => {
    const { id } = await bought();
    await move('disputed', 100);
    await accountIn(user.ask, 'eliminated');
    await reinstate(id);
    await accountIn(user.ask, 'evaluation');

    await move('disputed', 100);
    const again = await accountIn(user.ask, 'eliminated');
    await reinstate(id);
    await accountIn(user.ask, 'evaluation');
    await move('refunded');
    const gone = await accountIn(user.ask, 'eliminated');

    expect(again).to.include({ failure_reason: 'disputed' });
    expect(gone).to.include({ failure_reason: 'refunded' });
    expect(await payment()).to.include({ refunded_cents: PRICE, disputed_cents: 200 });
  });

  for (const [what, begin, end, status] of [
    ['a dispute that is won', 'disputed', 'charge.dispute.created', 'won'],
    ['an inquiry that is closed', 'inquired', 'charge.dispute.created', 'warning_closed'],
    ['a refund that fails after all', 'refunded', 'refund.created', 'failed'],
    ['a refund that is cancelled', 'refunded', 'refund.created', 'canceled'],
  ] as const)
    it(`gives back what was taken by ${what}`, async () => {
      await service.control('settings', { refundStatus: status === 'canceled' ? 'requires_action' : 'succeeded' });
      const { id } = await bought();
      await move(begin);
      await accountIn(user.ask, 'eliminated');

      await service.control(begin === 'refunded' ? 'refund' : 'dispute', { id: newest(end), to: status });

      expect(await accountIn(user.ask, 'evaluation')).to.include({ id, failure_reason: null });
      expect(await payment()).to.include({ refunded_cents: 0, disputed_cents: 0, status: 'succeeded' });
    });

  it('creates the account of a payment that was disputed before its success was reported, once the dispute is won', async () => {
    service.processor.notifications.travel.hold = true;
    await paid();
    await move('disputed');
    service.processor.notifications.travel.hold = false;
    for (const type of ['charge.dispute.created', 'payment_intent.succeeded'])
      await service.notify(service.processor.events.findLast((event) => event.type === type) ?? {});
    await accountIn(user.ask, 'eliminated');
    expect(await listed()).to.equal(undefined);

    await service.control('dispute', { id: newest('charge.dispute.created'), to: 'won' });

    expect(await accountIn(user.ask, 'evaluation')).to.include({ failure_reason: null });
  });

  it('lists a payment again whose account was abandoned, once its dispute is won', async () => {
    service.miner.faults.add({ kind: 'reject', route: 'create-subaccount', times: 1 });
    await paid();
    const { id } = await accountIn(user.ask, 'subaccount_failed');
    expectRejected(await operator.ask('POST', `/v2/admin/prop-accounts/${id}/abandon`, REASON), 'V2_ACCOUNT_OWES');
    await move('disputed');
    await figures({ refunded_cents: 0, disputed_cents: PRICE });
    await twice(operator.ask, 'POST', `/v2/admin/prop-accounts/${id}/abandon`, REASON);
    expect(await listed()).to.equal(undefined);

    await service.control('dispute', { id: newest('charge.dispute.created'), to: 'won' });
    await figures({ refunded_cents: 0, disputed_cents: 0 });

    expect(await listed()).to.include({ held_cents: PRICE, safe_action: 'refund the rest' });
  });

  it('records a loss in another currency as unreadable: it stops the account, and counts nothing', async () => {
    const { id } = await bought();
    const dispute = { id: 'du_yen', amount: 5, currency: 'jpy', payment_intent: processorId, status: 'lost' };

    await service.notify({
      id: `evt_${paymentId}`,
      object: 'event',
      type: 'charge.dispute.created',
      created: 1,
      livemode: false,
      data: { object: dispute },
    });

    await eventually(async () => (await outcomeOf('charge.dispute.created')) === 'unreadable');
    expect(await accountIn(user.ask, 'eliminated')).to.include({ id, failure_reason: 'disputed' });
    expect(await payment()).to.include({ disputed_cents: 0 });
  });
});
