import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { processor as openProcessor } from '../../../src/adapters/processor/index.ts';
import { newIntentId } from '../../../src/kernel/ids.ts';
import { accountIn, checkOut, eventually, type Money, PROCESSOR, startMoney } from '../../support/money.ts';

const nothing = z.object({});
const listedRow = z.object({ event_id: z.string(), payment_id: z.string(), why: z.string(), safe_action: z.string() });

describe('payments that an operator must look at', () => {
  let service: Money;
  before(async () => {
    service = await startMoney({ settings: { PAYMENT_RECONCILE_MS: '3600000' } });
  });
  after(() => service.stop());

  const event = (id: string, type: string, object: object) => ({
    ...{ id, object: 'event', type, created: Math.floor(Date.now() / 1000), livemode: false },
    data: { object },
  });
  const listed = async (id: string) => {
    await service.db.query(sql.type(nothing)`
      update processor_events set received_at = now() - interval '400 days' where id = ${id}`);
    await service.runTask('housekeeping/prune');
    return service.db.maybeOne(sql.type(listedRow)`
      select event_id, payment_id, why, safe_action from ops.suspect_payments where event_id = ${id}`);
  };
  const waiting = () =>
    service.db.oneFirst(sql.type(z.object({ count: z.number() }))`
      select count from ops.attention where what = 'suspect_payments'`);
  const dismiss = (id: string) =>
    service.db.oneFirst(sql.type(z.object({ verdict: z.string() }))`
      select ops.dismiss_event(${id}, 'ada', 'read in the dashboard') as verdict`);
  async function bought() {
    const user = await service.user(service.tenant);
    const made = await checkOut(user.ask);
    await service.control('payment', { id: made.processor_payment_intent_id, to: 'succeeded' });
    await accountIn(user.ask, 'evaluation');
    return { ...made, user };
  }

  it('are listed with the safe action: an early fraud warning, while its money is kept', async () => {
    const { payment_id, processor_payment_intent_id: payment_intent, user } = await bought();
    const warning = { id: 'issfr_1', object: 'radar.early_fraud_warning', charge: 'ch_1', payment_intent };
    const body = { ...warning, actionable: true, fraud_type: 'made_with_stolen_card' };

    await service.notify(event('evt_warning', 'radar.early_fraud_warning.created', body));

    await eventually(async () => service.log.lines.some(({ alert }) => alert === 'early_fraud_warning'));
    const why = { payment_id, why: 'early_fraud_warning' };
    expect(await listed('evt_warning')).to.include({ ...why, safe_action: 'refund the payment before it is disputed' });
    expect((await accountIn(user.ask, 'evaluation')).status).to.equal('evaluation');
    expect(await waiting()).to.equal(1);
    await service.control('payment', { id: payment_intent, to: 'refunded' });
    await accountIn(user.ask, 'eliminated');
    expect(await listed('evt_warning')).to.equal(null);
    expect(await waiting()).to.equal(0);
  });

  it('are listed: a second payment intent that was paid in the name of one payment, which it does not move', async () => {
    const { payment_id, user } = await bought();
    const paid = { id: 'pi_second', object: 'payment_intent', amount: 19_900, amount_received: 19_900 };
    const second = { ...paid, currency: 'usd', status: 'succeeded', metadata: { payment_id } };

    await service.notify(event('evt_second', 'payment_intent.succeeded', second));

    expect(await listed('evt_second')).to.include({ payment_id, why: 'second_payment' });
    await accountIn(user.ask, 'evaluation');
    expect(await dismiss('evt_second')).to.equal('done');
    expect(await listed('evt_second')).to.equal(null);
  });

  it('are found behind 2,000 newer ones: a checkout whose response was lost', async function () {
    this.timeout(120_000);
    const adapter = openProcessor({ url: service.processor.url, ...PROCESSOR });
    const person = { userId: service.buyer.userId, appId: service.tenant.appId, amountCents: 100, currency: 'usd' };
    const create = (key: ReturnType<typeof newIntentId>) =>
      adapter.createPayment({ paymentId: `pay_${key}` as never, ...person }, key); // as: any id
    const [key, sinceMs] = [newIntentId(), Date.now()];
    const made = await create(key);
    for (let n = 0; n < 2_100; n += 100) await Promise.all(Array.from({ length: 100 }, () => create(newIntentId())));

    const found = await adapter.findCheckout({ key, sinceMs });

    expect(
      made.kind === 'accepted' && found.kind === 'found' && found.data.processorId === made.data.processorId,
    ).to.equal(true);
  });
});
