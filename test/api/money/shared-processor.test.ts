import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Event } from '../../../src/sandbox/processor/world.ts';
import { checkOut, eventually, type Money, startMoney } from '../../support/money.ts';

const FOREIGN = Number(process.env.FOREIGN_EVENTS ?? 3_000); // more for the figures of the promise
const ACTED_WITHIN_MS = 60_000;
const count = z.object({ n: z.number() });

/** Events of other software on the same account of the processor, an hour old to new. */
function foreignEvents(many: number): Event[] {
  const beginning = Math.floor(Date.now() / 1000) - 3_600;
  return Array.from({ length: many }, (_, n) => {
    const base = { id: `evt_foreign_${n}`, object: 'event' as const, livemode: false };
    return { ...base, created: beginning + Math.floor((n * 3_600) / many), ...foreign(n) };
  });
}

function foreign(n: number): { type: string; data: { object: object } } {
  const metadata = { payment_id: `order-${n}`, user_id: `customer-${n}` };
  const kinds: [type: string, object: object][] = [
    [
      'payment_intent.succeeded',
      { id: `pi_f${n}`, status: 'succeeded', amount_received: 5, currency: 'eur', metadata },
    ],
    ['charge.refunded', { id: `ch_f${n}`, payment_intent: `pi_f${n}`, amount_refunded: 5 }],
    ['charge.dispute.created', { id: `du_f${n}`, amount: 5, payment_intent: `pi_f${n}` }],
    ['identity.verification_session.verified', { id: `vs_f${n}`, status: 'verified', metadata }],
    ['invoice.paid', { id: `in_f${n}` }],
  ];
  const [type, object] = kinds[n % kinds.length] as [string, object]; // as: the index is below its length
  return { type, data: { object } };
}

describe('a processor account that is shared with other software', () => {
  let service: Money;
  before(async () => {
    service = await startMoney({ notified: false, settings: { PAYMENT_RECONCILE_MS: '3600000' } });
  });
  after(() => service.stop());

  const pay = async () => {
    const { payment_id, processor_payment_intent_id: id } = await checkOut(service.buyer.ask);
    await service.control('payment', { id, to: 'succeeded' });
    return payment_id;
  };
  const hasAccount = (paymentId: string) =>
    eventually(async () => {
      const { body } = await service.buyer.ask('GET', `/v2/payments/${paymentId}`);
      return body.prop_account_id;
    });
  const numberOf = (condition: ReturnType<typeof sql.fragment>) =>
    service.db.oneFirst(sql.type(count)`select count(*)::integer as n from processor_events e where ${condition}`);
  const isRead = () =>
    service.db.maybeOneFirst(sql.type(z.object({ is_read: z.boolean() }))`select is_read from processor_cursor`);
  /** The world's own list: the tests add what other software did. */
  const events = () => service.processor.events as Event[];

  it(`acts within 60 s on its own events at both ends of ${FOREIGN} others, and never takes those up again`, async function () {
    this.timeout(ACTED_WITHIN_MS * 3);
    const oldest = await pay();
    for (const event of events()) event.created -= 7_200;
    for (const event of foreignEvents(FOREIGN)) events().push(event);
    const newest = await pay();

    const startedAt = Date.now();
    while (!(await isRead())) await service.runTask('payments/reconcile');
    await Promise.all([oldest, newest].map(hasAccount));
    const actedMs = Date.now() - startedAt;
    const again = Date.now();
    await service.runTask('payments/reconcile');

    console.log(
      `      ${FOREIGN} events of others: ours acted on after ${actedMs} ms, the next run ${Date.now() - again} ms`,
    );
    expect(actedMs).to.be.below(ACTED_WITHIN_MS);
    expect(await numberOf(sql.fragment`e.id like 'evt_foreign_%' and e.outcome = 'not_ours'`)).to.equal(FOREIGN);
    expect(await numberOf(sql.fragment`e.id like 'evt_foreign_%' and e.acted_at <> e.received_at`)).to.equal(0);
  });

  it('goes on from the last page it read where pages fail, however long the list is', async function () {
    this.timeout(60_000);
    const paid = await pay();
    for (const event of foreignEvents(1_500))
      events().push({ ...event, id: `${event.id}_more`, created: Math.floor(Date.now() / 1000) });
    service.processor.faults.add({ kind: 'status_500', route: '/v1/events', rate: 0.5, seed: 11 });

    let runs = 0;
    do {
      await service.runTask('payments/reconcile');
      runs += 1;
    } while ((await numberOf(sql.fragment`e.id like '%_more'`)) < 1_500 && runs < 100);
    service.processor.faults.clear();

    expect(await numberOf(sql.fragment`e.id like '%_more'`)).to.equal(1_500);
    expect(await hasAccount(paid)).to.match(/^prop_/);
  });

  it('goes on with the newest events where the one that it would go on behind has expired', async () => {
    await service.runTask('payments/reconcile');
    await service.db.query(sql.unsafe`update processor_cursor set is_read = false, after_event = 'evt_expired'`);
    const paid = await pay();

    await service.runTask('payments/reconcile');

    expect(await hasAccount(paid)).to.match(/^prop_/);
    expect(await isRead()).to.equal(true);
  });
});
