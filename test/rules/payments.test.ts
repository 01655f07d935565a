import { expect } from 'chai';
import fc from 'fast-check';
import {
  applyUpdate,
  isFullyPaid,
  type PaymentState,
  type ProcessorUpdate,
  shownStatus,
} from '../../src/payments/rules.ts';

const fresh: PaymentState = { status: 'requires_payment_method', statusAtMs: 0, receivedCents: 0 };
const data = (status: string, atMs: number, type = `payment_intent.${status}`): ProcessorUpdate => ({
  type,
  atMs,
  status,
  receivedCents: status === 'succeeded' ? 100 : 0,
});
const life: ProcessorUpdate[] = [
  data('requires_payment_method', 1_000, 'payment_intent.created'),
  data('requires_payment_method', 2_000, 'payment_intent.payment_failed'),
  data('processing', 3_000),
  data('succeeded', 4_000),
];

const endOf = (updates: readonly ProcessorUpdate[]) =>
  updates.reduce((state, update) => applyUpdate(state, update).next, fresh);
const counted = (
  updates: readonly ProcessorUpdate[],
  what: (update: ProcessorUpdate, state: PaymentState) => boolean,
) => {
  let state = fresh;
  return updates.filter((update) => {
    const is = what(update, state);
    state = applyUpdate(state, update).next;
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
        expect(counted(updates, (update, state) => applyUpdate(state, update).isPaid)).to.equal(1);
      }),
    );
  });

  it('reports a failed attempt only before the final state', () => {
    const failed = data('requires_payment_method', 2_000, 'payment_intent.payment_failed');

    expect(applyUpdate(fresh, failed).emit).to.equal('payment.failed');
    expect(applyUpdate({ ...fresh, status: 'succeeded' }, failed).emit).to.equal(null);
    expect(applyUpdate({ ...fresh, status: 'succeeded' }, data('succeeded', 9_000)).emit).to.equal(null);
  });

  it('lets no older update of an open payment replace a newer one', () => {
    const processing = endOf([data('processing', 3_000)]);

    expect(endOf([data('processing', 3_000), data('requires_action', 2_000)])).to.deep.equal(processing);
  });
});

describe('shownStatus', () => {
  it('shows the outcome for the money even when an older update arrives last', () => {
    expect(shownStatus({ status: 'succeeded', refundedCents: 0, disputedCents: 0 })).to.equal('succeeded');
    expect(shownStatus({ status: 'succeeded', refundedCents: 1, disputedCents: 0 })).to.equal('refunded');
    expect(shownStatus({ status: 'succeeded', refundedCents: 1, disputedCents: 1 })).to.equal('disputed');
  });
});

describe('isFullyPaid', () => {
  it('requires the whole amount in the same currency', () => {
    const requested = { amountCents: 100, currency: 'usd' };

    expect(isFullyPaid(requested, { receivedCents: 100, currency: 'usd' })).to.equal(true);
    expect(isFullyPaid(requested, { receivedCents: 99, currency: 'usd' })).to.equal(false);
    expect(isFullyPaid(requested, { receivedCents: 100, currency: 'jpy' })).to.equal(false);
  });
});
