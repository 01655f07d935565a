import { expect } from 'chai';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Event } from '../../../src/sandbox/processor/world.ts';
import { checkOut, eventually, type Money, startMoney } from '../../support/money.ts';

const storedRow = z.object({ outcome: z.string().nullable() });

describe('events about objects of others', () => {
  let service: Money;
  before(async () => {
    service = await startMoney({ notified: false, settings: { PAYMENT_RECONCILE_MS: '3600000' } });
  });
  after(() => service.stop());

  let number = 0;
  const event = (type: string, object: object, more: object = {}) => {
    number += 1;
    const created = Math.floor(Date.now() / 1000);
    return { id: `evt_foreign_${number}`, object: 'event', type, created, livemode: false, data: { object }, ...more };
  };
  const outcomeOf = ({ id }: { id: string }) =>
    service.db.oneFirst(sql.type(storedRow)`select outcome from processor_events where id = ${id}`);
  const settled = (sent: { id: string }) => eventually(() => outcomeOf(sent));
  const paymentOf = async (id: string) => (await service.buyer.ask('GET', `/v2/payments/${id}`)).body;
  /** A checkout, and the event of its success as the processor wrote it; it was not sent. */
  async function paid(): Promise<{ paymentId: string; processorId: string; succeeded: Event }> {
    const { payment_id, processor_payment_intent_id: id } = await checkOut(service.buyer.ask);
    await service.control('payment', { id, to: 'succeeded' });
    const succeeded = service.processor.events.findLast(({ type }) => type === 'payment_intent.succeeded');
    if (!succeeded) throw new Error('The processor wrote no event');
    return { paymentId: payment_id, processorId: id, succeeded };
  }
  const startVerification = async () =>
    (await service.buyer.ask('POST', '/v2/kyc/processor-identity/session', {})).body.session_id as string;
  const kycStatus = async () => (await service.buyer.ask('GET', '/v2/kyc/status')).body.kyc_status;

  it('move no payment where they come from a connected account, are of the other mode, or are unsigned copies', async () => {
    const { paymentId, succeeded } = await paid();

    for (const more of [{ account: 'acct_stranger' }, { livemode: true }]) {
      const sent = { ...succeeded, id: `${succeeded.id}_${Object.keys(more)}`, ...more };
      expect((await service.notify(sent)).status).to.equal(200);
      expect(await outcomeOf(sent)).to.equal('not_ours');
    }
    expect(await paymentOf(paymentId)).to.include({ status: 'requires_payment_method', prop_account_id: null });

    await service.notify(succeeded);
    await settled(succeeded);
    expect(await paymentOf(paymentId)).to.include({ status: 'succeeded' });
  });

  it('move no payment whose metadata they copy', async () => {
    const { paymentId, succeeded } = await paid();
    const copy = event('payment_intent.succeeded', { ...succeeded.data.object, id: 'pi_copy' });

    await service.notify(copy);

    expect(await outcomeOf(copy)).to.equal('not_ours');
    expect(await paymentOf(paymentId)).to.include({ status: 'requires_payment_method', prop_account_id: null });
  });

  it('verify nobody, by a copied user id or from a connected account', async () => {
    const sessionId = await startVerification();
    const metadata = { user_id: service.buyer.userId };
    const copy = event('identity.verification_session.verified', { id: 'vs_copy', status: 'verified', metadata });
    const elsewhere = event(
      'identity.verification_session.verified',
      { id: sessionId, status: 'verified', metadata },
      { account: 'acct_stranger' },
    );

    for (const sent of [copy, elsewhere]) {
      await service.notify(sent);
      expect(await outcomeOf(sent)).to.equal('not_ours');
    }
    expect(await kycStatus()).to.equal('unverified');
  });

  it('leaves a user verified by an earlier session of their own', async () => {
    const earlier = await startVerification();
    await startVerification();
    const verified = event('identity.verification_session.verified', { id: earlier, status: 'verified' });

    await service.notify(verified);

    expect(await settled(verified)).to.equal('applied');
    expect(await kycStatus()).to.equal('verified');
  });

  it('are taken up once a checkout whose response was lost learns that the object is its own', async () => {
    service.processor.faults.add({ kind: 'accept_then_drop', route: 'POST /v1/payment_intents', times: 1 });
    const reply = await service.buyer.ask('POST', '/v2/payments/checkout', {
      json: {
        tier_id: 'tier_25k',
        market: 'crypto',
        asset_class: 'crypto',
        account_size: 25_000,
        amount_cents: 19_900,
      },
      headers: { Prefer: 'wait=0' },
    });
    const created = await eventually(async () =>
      service.processor.ledger.entries().find(({ kind, key }) => kind === 'payment_intent' && key === intentOf(reply)),
    );
    const { id: processorId } = created.detail as { id: string }; // as: the sandbox writes the processor's id
    const refunded = event('charge.refunded', { id: 'ch_1', payment_intent: processorId, amount_refunded: 19_900 });
    await service.notify(refunded);

    await eventually(async () => (await paymentOf(reply.body.payment_id)).processor_payment_intent_id === processorId);

    expect(await settled(refunded)).to.equal('applied');
    expect(await paymentOf(reply.body.payment_id)).to.have.property('status', 'refunded');
  });

  const intentOf = ({ headers }: { headers: Headers }) => headers.get('intent-id');

  it('are stored, listed and reported to the operator where a member is missing, and nothing is guessed', async () => {
    const { paymentId, succeeded } = await paid();
    const { amount_received: _, ...object } = succeeded.data.object as { amount_received: number }; // as: the sandbox writes it
    const without = event('payment_intent.succeeded', object);

    expect((await service.notify(without)).status).to.equal(200);
    expect(await settled(without)).to.equal('unreadable');

    const listed = await service.db.anyFirst(
      sql.type(z.object({ event_id: z.string() }))`select event_id from ops.unreadable_events`,
    );
    expect(listed).to.include(without.id);
    expect(
      service.log.lines.some((line) => line.alert === 'processor_event_unreadable' && line.event_id === without.id),
    ).to.equal(true);
    expect(await paymentOf(paymentId)).to.include({ status: 'requires_payment_method', prop_account_id: null });
  });
});
