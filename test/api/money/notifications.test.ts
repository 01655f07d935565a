import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import { signature } from '../../../src/sandbox/processor/notifier.ts';
import type { Event } from '../../../src/sandbox/processor/world.ts';
import {
  accountIn,
  checkOut,
  eventually,
  type Money,
  PROCESSOR,
  raw,
  startMoney,
  WEBHOOK,
} from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';

const count = z.object({ count: z.number() });

describe('takeProcessorNotification', () => {
  let service: Money;
  before(async () => {
    service = await startMoney({ notified: false, settings: { PAYMENT_RECONCILE_MS: '0' } });
  });
  after(() => service.stop());

  const paymentOf = async (id: string) => (await service.buyer.ask('GET', `/v2/payments/${id}`)).body;
  const stored = () => service.db.oneFirst(sql.type(count)`select count(*) count from processor_events`);
  const reported = (type: string, paymentId: string) =>
    service.db.oneFirst(sql.type(count)`
      select count(*) count
      from events e
      where e.type = ${type} and event_body(e)::jsonb -> 'data' ->> 'payment_id' = ${paymentId}`);
  /** A checkout, and the processor's notification when its payment is moved. */
  async function moved(...moves: string[]): Promise<{ paymentId: string; events: Event[] }> {
    const { payment_id, processor_payment_intent_id: id } = await checkOut(service.buyer.ask);
    for (const to of moves) await service.control('payment', { id, to });
    const about = ({ data: { object } }: Event) =>
      ('id' in object && object.id === id) || ('payment_intent' in object && object.payment_intent === id);
    return { paymentId: payment_id, events: service.processor.events.filter(about) };
  }
  const statusIs = (id: string, status: string) =>
    eventually(async () => {
      const payment = await paymentOf(id);
      return payment.status === status && payment;
    });
  const of = (events: Event[], type: string) => {
    const event = events.find((each) => each.type === type);
    if (!event) throw new Error(`No ${type}`);
    return event;
  };

  it('rejects notifications that are unsigned, signed by another, changed, or older than 300 seconds', async () => {
    const { paymentId, events } = await moved('succeeded');
    const body = JSON.stringify(of(events, 'payment_intent.succeeded'));
    const before = await stored();
    const secret = PROCESSOR.notificationSecret;
    const oldS = Math.floor(Date.now() / 1000) - 301;

    for (const [sent, header] of [
      [body, ''],
      [body, 't=,v1='],
      [body, signature('whsec_another', body)],
      [body.replace('succeeded', 'succeedes'), signature(secret, body)],
      [body, signature(secret, body, oldS)],
    ] as const)
      expectRejected(await raw(service.url + WEBHOOK, sent, header), 'V2_SIGNATURE_INVALID');
    expect(await stored()).to.equal(before);
    expect((await paymentOf(paymentId)).status).to.equal('requires_payment_method');
  });

  it('processes a repeated one once', async () => {
    const { paymentId, events } = await moved('succeeded');
    const paid = of(events, 'payment_intent.succeeded');

    for (let time = 0; time < 5; time += 1) expect((await service.notify(paid)).body).to.deep.equal({ received: true });
    const payment = await statusIs(paymentId, 'succeeded');

    expect(payment.prop_account_id).to.match(/^prop_/);
    expect(await reported('payment.succeeded', paymentId)).to.equal(1);
  });

  it('stores and drops those about foreign objects', async () => {
    const event = {
      id: 'evt_foreign',
      object: 'event',
      type: 'invoice.paid',
      created: 1,
      livemode: false,
      data: { object: {} },
    };

    expect((await service.notify(event)).status).to.equal(200);
    expect((await service.notify({ ...event, id: 'evt_product', type: 'product.created' })).status).to.equal(200);
  });

  it('reports once that the processor canceled a payment: nobody can pay it any more', async () => {
    const { paymentId, events } = await moved();
    const created = of(events, 'payment_intent.created');
    const object = { ...created.data.object, status: 'canceled' };
    const canceled = { ...created, id: 'evt_canceled', type: 'payment_intent.canceled', data: { object } };

    for (const id of ['evt_canceled', 'evt_canceled_again']) await service.notify({ ...canceled, id });
    await statusIs(paymentId, 'canceled');
    await eventually(async () => (await reported('payment.failed', paymentId)) > 0);
    const { body } = await service.tenant.ask('GET', '/v2/events?type=payment.failed');

    expect(await reported('payment.failed', paymentId)).to.equal(1);
    expect(body.at(-1).data).to.include({ payment_id: paymentId, status: 'canceled' });
  });

  it('reports a failed attempt, which is not final', async () => {
    const { paymentId, events } = await moved('declined', 'succeeded');

    await service.notify(of(events, 'payment_intent.payment_failed'));
    await eventually(async () => (await reported('payment.failed', paymentId)) === 1);
    const tried = await paymentOf(paymentId);
    await service.notify(of(events, 'payment_intent.succeeded'));
    const paid = await statusIs(paymentId, 'succeeded');

    expect(tried).to.include({ status: 'requires_payment_method' });
    expect(tried.client_secret).to.be.a('string');
    const timeline = paid.timeline.map(({ event }: { event: string }) => event);
    expect(timeline[0]).to.equal('created'); // the processor dates in whole seconds
    expect(timeline).to.include.members(['try_failed', 'succeeded']);
  });

  it('does not undo a paid payment because of an older notification that arrives late', async () => {
    const { paymentId, events } = await moved('declined', 'succeeded');

    await service.notify(of(events, 'payment_intent.succeeded'));
    await statusIs(paymentId, 'succeeded');
    await service.notify(of(events, 'payment_intent.payment_failed'));
    await service.notify(of(events, 'payment_intent.created'));
    await eventually(async () => (await open()) === 0);

    expect((await paymentOf(paymentId)).status).to.equal('succeeded');
    expect(await reported('payment.failed', paymentId)).to.equal(0);
  });

  for (const [to, type] of [
    ['refunded', 'charge.refunded'],
    ['disputed', 'charge.dispute.created'],
  ] as const) {
    it(`stops the account of a payment that is ${to}, with its reason`, async () => {
      const { paymentId, events } = await moved('succeeded', to);
      await service.notify(of(events, 'payment_intent.succeeded'));
      const { prop_account_id } = await statusIs(paymentId, 'succeeded');
      await accountWhere(prop_account_id, 'evaluation');

      await service.notify(of(events, type));

      expect(await accountWhere(prop_account_id, 'eliminated')).to.have.property('failure_reason', to);
      expect((await paymentOf(paymentId)).status).to.equal(to);
    });

    it(`opens no tradeable account for money that is ${to} before its payment is reported`, async () => {
      const { paymentId, events } = await moved('succeeded', to);
      await service.notify(of(events, type));
      await statusIs(paymentId, to);

      await service.notify(of(events, 'payment_intent.succeeded'));

      const { prop_account_id } = await eventually(async () => {
        const payment = await paymentOf(paymentId);
        return payment.prop_account_id && payment;
      });
      const account = await accountWhere(prop_account_id, 'eliminated');
      expect(account).to.include({ failure_reason: to, synthetic_hotkey: null });
    });
  }

  it('opens no account for less money than the price of the tier, and alerts an operator', async () => {
    const { paymentId, events } = await moved('succeeded');
    const paid = structuredClone(of(events, 'payment_intent.succeeded'));
    Object.assign(paid.data.object, { amount_received: 1 });

    await service.notify(paid);
    const payment = await statusIs(paymentId, 'succeeded');

    expect(payment.prop_account_id).to.equal(null);
    expect(service.log.lines.some(({ alert }) => alert === 'paid_amount_differs')).to.equal(true);
    const unfulfilled = await service.db.anyFirst(sql.type(z.object({ payment_id: z.string() }))`
      select payment_id from ops.list_paid_without_account(0)`);
    expect(unfulfilled).to.include(paymentId);
  });

  it('finds events that were never delivered', async () => {
    const { paymentId } = await moved('succeeded');

    await service.runTask('payments/reconcile');

    const { prop_account_id } = await statusIs(paymentId, 'succeeded');
    expect(await accountWhere(prop_account_id, 'evaluation')).to.include({ tier_id: 'tier_25k' });
    expect(await reported('payment.succeeded', paymentId)).to.equal(1);
  });

  it('finds events beside one with characters that cannot be stored, which is taken without them', async () => {
    const dispute = { id: 'du_odd', object: 'dispute', amount: 5, currency: 'usd', payment_intent: 'pi_of_another' };
    const object = { ...dispute, status: 'lo\0st\ud800 \u{1f600}' };
    const made = { object: 'event', created: Math.floor(Date.now() / 1000), livemode: false, data: { object } };
    const { events } = await moved('succeeded');
    const listed = service.processor.events as object[]; // as: the sandbox writes none of this kind
    listed.push({ ...made, id: 'evt_odd', type: 'charge.dispute.created' });

    await service.runTask('payments/reconcile');

    const taken = await service.db.anyFirst(sql.type(z.object({ status: z.string().nullable() }))`
      select fact #>> '{loss,status}' as status
      from processor_events
      where id in ('evt_odd', ${of(events, 'payment_intent.succeeded').id})`);
    expect(taken).to.have.members(['lo\ufffdst\ufffd \u{1f600}', null]);
  });

  it('finds a paid payment even when the list of events lacks it', async () => {
    const { paymentId } = await moved('succeeded');
    service.processor.faults.add({ kind: 'status_500', route: '/v1/events' });

    await service.runTask('payments/reconcile');

    await statusIs(paymentId, 'succeeded');
    service.processor.faults.clear();
  });

  const open = () =>
    service.db.oneFirst(sql.type(count)`select count(*) count from processor_events where acted_at is null`);
  const accountWhere = (id: string, status: string) =>
    eventually(async () => {
      const { body } = await service.buyer.ask('GET', `/v2/payments/prop-accounts/${id}`);
      return body.status === status && body;
    });

  it('does not change an account that was free', async () => {
    const { ask } = await service.user(service.tenant);
    await ask('POST', '/v2/payments/free', {
      json: { tier_id: 'tier_demo', asset_class: 'crypto', account_size: 10_000 },
    });

    const { payment_id, processor_payment_intent_id: id } = await checkOut(ask);
    await service.control('payment', { id, to: 'succeeded' });
    await service.control('payment', { id, to: 'refunded' });
    await service.runTask('payments/reconcile');

    await eventually(async () => (await ask('GET', `/v2/payments/${payment_id}`)).body.status === 'refunded');
    expect(await accountIn(ask, 'evaluation')).to.have.property('tier_id', 'tier_demo');
  });
});
