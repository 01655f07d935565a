import { expect } from 'chai';
import fc from 'fast-check';
import {
  applyUpdate,
  isCleared,
  type PaymentState,
  type ProcessorUpdate,
} from '../../src/capabilities/payments/rules.ts';

const price = { amountCents: 100, currency: 'usd' };
const fresh: PaymentState = {
  status: 'requires_payment_method',
  statusAtMs: 0,
  receivedCents: 0,
  receivedCurrency: null,
};
const data = (status: string, atMs: number, type = `payment_intent.${status}`): ProcessorUpdate => ({
  type,
  atMs,
  status,
  receivedCents: status === 'succeeded' ? 100 : 0,
  currency: 'usd',
});
const life: ProcessorUpdate[] = [
  data('requires_payment_method', 1_000, 'payment_intent.created'),
  data('requires_payment_method', 2_000, 'payment_intent.payment_failed'),
  data('processing', 3_000),
  data('succeeded', 4_000),
];

const endOf = (updates: readonly ProcessorUpdate[]) =>
  updates.reduce((state, update) => applyUpdate(state, update, price).next, fresh);
const counted = (
  updates: readonly ProcessorUpdate[],
  what: (update: ProcessorUpdate, state: PaymentState) => boolean,
) => {
  let state = fresh;
  return updates.filter((update) => {
    const is = what(update, state);
    state = applyUpdate(state, update, price).next;
    return is;
  }).length;
};

describe('applyUpdate', () => {
  it('ends in the same state in every order, with repeats', () => {
    const shuffled = fc.shuffledSubarray([...life, ...life, ...life], { minLength: life.length * 3 });

    fc.assert(
      fc.property(shuffled, (updates) => {
        expect(endOf(updates)).to.deep.equal(endOf(life));
      }),
    );
  });

  it('is paid once, in every order', () => {
    const shuffled = fc.shuffledSubarray([...life, ...life], { minLength: life.length * 2 });

    fc.assert(
      fc.property(shuffled, (updates) => {
        const isPaid = (update: ProcessorUpdate, state: PaymentState) =>
          applyUpdate(state, update, price).emit === 'payment.succeeded';

        expect(counted(updates, isPaid)).to.equal(1);
      }),
    );
  });

  it('reports a failed attempt only before the final state', () => {
    const failed = data('requires_payment_method', 2_000, 'payment_intent.payment_failed');

    expect(applyUpdate(fresh, failed, price).emit).to.equal('payment.failed');
    expect(applyUpdate({ ...fresh, status: 'succeeded' }, failed, price).emit).to.equal(null);
    expect(applyUpdate(endOf(life), data('succeeded', 9_000), price).emit).to.equal(null);
  });

  it('reports once that it was canceled, however that is learnt, and no failed attempt after it', () => {
    const canceled = data('canceled', 3_000);
    const { next, emit } = applyUpdate(fresh, canceled, price);
    const failed = data('requires_payment_method', 4_000, 'payment_intent.payment_failed');

    expect(emit).to.equal('payment.failed');
    expect(applyUpdate(fresh, data('canceled', 3_000, 'reading'), price).emit).to.equal('payment.failed');
    for (const later of [canceled, data('canceled', 5_000, 'reading'), failed])
      expect(applyUpdate(next, later, price).emit).to.equal(null);
    expect(applyUpdate(endOf(life), canceled, price).emit).to.equal(null);
  });

  it('begins with its creation, whatever else is reported of the same second', () => {
    const created = data('requires_payment_method', 1_000, 'payment_intent.created');
    const processing = data('processing', 1_000);

    for (const updates of [
      [created, processing],
      [processing, created],
    ])
      expect(endOf(updates).status).to.equal('processing');
  });

  it('lets no older update of an open payment replace a newer one', () => {
    const processing = endOf([data('processing', 3_000)]);

    expect(endOf([data('processing', 3_000), data('requires_action', 2_000)])).to.deep.equal(processing);
  });
});

describe('a payment that succeeded', () => {
  const received = (receivedCents: number, currency = 'usd') =>
    applyUpdate(fresh, { ...data('succeeded', 4_000), receivedCents, currency }, price);

  it('is cleared by exactly its price, and mismatched by any other amount or currency', () => {
    const amount = fc.oneof(fc.constant(100), fc.integer({ min: 0, max: 1_000 }));
    const currency = fc.constantFrom('usd', 'jpy');

    fc.assert(
      fc.property(amount, currency, (cents, code) => {
        const isPrice = cents === 100 && code === 'usd';
        const step = received(cents, code);

        expect(step).to.include({ emit: isPrice ? 'payment.succeeded' : 'payment.mismatched' });
        expect(isCleared(step.next, price)).to.equal(isPrice);
        expect(applyUpdate(step.next, data('requires_payment_method', 9_000), price).emit).to.equal(null);
      }),
    );
    expect(received(100)).to.include({ emit: 'payment.succeeded' });
  });

  it('is cleared by a later report of the whole price, once', () => {
    const step = applyUpdate(received(60).next, data('succeeded', 5_000), price);
    const again = applyUpdate(step.next, data('succeeded', 6_000), price);

    expect(step).to.include({ emit: 'payment.succeeded' });
    expect(again).to.include({ emit: null });
  });

  it('keeps the received amount, whatever a later report of an open payment says', () => {
    const part = applyUpdate(fresh, { ...data('processing', 3_000), receivedCents: 60 }, price).next;
    const later = applyUpdate(part, data('requires_payment_method', 5_000), price).next;

    expect(later).to.include({ status: 'requires_payment_method', receivedCents: 60, receivedCurrency: 'usd' });
  });
});
