import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { TestAdmin } from '../../support/identity.ts';
import { checkOut, eventually, type Money, startMoney, tier25k } from '../../support/money.ts';
import { expectRejected } from '../../support/rejected.ts';

const PRICE = tier25k.amount_cents;
const REASON = { json: { reason: 'another amount was paid' } };
const eventRow = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

describe('a payment that clears with another amount or currency', () => {
  let service: Money;
  let operator: TestAdmin;
  before(async () => {
    service = await startMoney({ settings: { NETVENUE_PATIENCE_MS: '300', NETVENUE_IN_FLIGHT_MS: '400' } });
    operator = await service.admin();
  });
  after(() => service.stop());

  const eventsOf = (paymentId: string) =>
    service.db.any(sql.type(eventRow)`
      select e.type, event_body(e)::jsonb -> 'data' as data
      from events e
      where event_body(e)::jsonb -> 'data' ->> 'payment_id' = ${paymentId}
      order by e.position`);
  const paymentOf = async (id: string) => (await service.buyer.ask('GET', `/v2/payments/${id}`)).body;
  const statusIs = (id: string, status: string) =>
    eventually(async () => {
      const payment = await paymentOf(id);
      return payment.status === status && payment;
    });
  const listed = async (id: string) => {
    const { body } = await operator.ask('GET', '/v2/admin/payments/unfulfilled?minutes=0');
    return body.find(({ payment_id }: { payment_id: string }) => payment_id === id);
  };
  const refund = (id: string) => operator.ask('POST', `/v2/admin/payments/${id}/refund`, REASON);

  const others: [what: string, received: { amount?: number; currency?: string }][] = [
    ['less than the price', { amount: PRICE - 1 }],
    ['more than the price', { amount: PRICE + 1 }],
    ['another currency', { currency: 'jpy' }],
  ];
  for (const [what, received] of others) {
    it(`has its own event, no account, and can be refunded: ${what}`, async () => {
      const { payment_id: id, processor_payment_intent_id } = await checkOut(service.buyer.ask);
      await service.control('payment', { id: processor_payment_intent_id, to: 'succeeded', ...received });
      const held = { amount: PRICE, currency: 'usd', ...received };

      const payment = await statusIs(id, 'succeeded');

      expect(payment.prop_account_id).to.equal(null);
      expect(payment.timeline.map(({ event }: { event: string }) => event)).to.include('mismatched');
      expect(await eventsOf(id)).to.deep.equal([
        {
          type: 'payment.mismatched',
          data: {
            payment_id: id,
            user_id: service.buyer.userId,
            processor_payment_intent_id,
            amount_cents: PRICE,
            currency: 'usd',
            received_cents: held.amount,
            received_currency: held.currency,
          },
        },
      ]);
      expect(await listed(id)).to.include({ held_cents: held.amount, held_currency: held.currency });

      expect((await refund(id)).status).to.equal(200);
      await statusIs(id, 'refunded');
      await eventually(async () => (await listed(id)) === undefined);
      const given = service.processor.ledger.entries().filter(({ kind }) => kind === 'refund');
      expect(given.at(-1)?.detail).to.include({ payment: processor_payment_intent_id, amount: held.amount });
    });
  }

  it('has its own event and nothing to refund where nothing was received', async () => {
    const { payment_id: id, processor_payment_intent_id } = await checkOut(service.buyer.ask);
    await service.control('payment', { id: processor_payment_intent_id, to: 'succeeded', amount: 0 });

    await statusIs(id, 'succeeded');

    expect((await eventsOf(id)).map(({ type }) => type)).to.deep.equal(['payment.mismatched']);
    expect(await listed(id)).to.equal(undefined);
    expectRejected(await refund(id), 'V2_PAYMENT_NOT_REFUNDABLE');
  });

  it('is in the event log, and can be subscribed to', async () => {
    const json = { url: 'https://hooks.example.com/in', events: ['payment.mismatched'] };
    const app = await service.app(['webhooks']);

    expect((await app.ask('POST', '/v2/webhook-endpoints', { json })).status).to.equal(200);
  });

  it('names its payment intent although this service had given its checkout up', async () => {
    const route = 'POST /v1/payment_intents';
    await service.control('notifications', { hold: true });
    service.processor.faults.add({ kind: 'accept_then_drop', route, times: 1 });
    service.processor.faults.add({ kind: 'status_500', route });
    service.processor.faults.add({ kind: 'status_500', route: 'GET /v1/payment_intents' });
    service.processor.faults.add({ kind: 'status_500', route: 'GET /v1/events' }); // else the sweep finds it, each minute
    const { body, headers } = await service.buyer.ask('POST', '/v2/payments/checkout', {
      json: tier25k,
      headers: { Prefer: 'wait=0' },
    });
    const intentId = headers.get('intent-id');
    const created = await eventually(async () =>
      service.processor.ledger.entries().find(({ key }) => key === intentId),
    );
    await eventually(() =>
      service.db.maybeOneFirst(sql.unsafe`
        update intents set sending_at = now() - interval '24 hours' where id = ${intentId} and state = 'in_doubt' returning true`),
    );
    await statusIs(body.payment_id, 'failed');
    service.processor.faults.clear();
    await service.control('notifications', { hold: false });

    const { id } = created.detail as { id: string }; // as: the sandbox writes the processor's id
    await service.control('payment', { id, to: 'succeeded' });

    const payment = await statusIs(body.payment_id, 'succeeded');
    expect(payment).to.include({ processor_payment_intent_id: id });
    expect(payment.prop_account_id).to.match(/^prop_/);
    expect(await eventsOf(body.payment_id)).to.deep.include({
      type: 'payment.succeeded',
      data: { payment_id: body.payment_id, user_id: service.buyer.userId, processor_payment_intent_id: id },
    });
  });
});
