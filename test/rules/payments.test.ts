import { expect } from 'chai';
import fc from 'fast-check';
import { isFullyPaid, type Standing, shownStatus, stepOf, type Word } from '../../src/payments/rules.ts';

const fresh: Standing = {
  status: 'requires_payment_method',
  statusAtMs: 0,
  receivedCents: 0,
  refundedCents: 0,
  isDisputed: false,
};
const said = (status: string, atMs: number, type = `payment_intent.${status}`): Word => ({
  about: 'payment',
  type,
  atMs,
  status,
  receivedCents: status === 'succeeded' ? 100 : 0,
});
const life: Word[] = [
  said('requires_payment_method', 1_000, 'payment_intent.created'),
  said('requires_payment_method', 2_000, 'payment_intent.payment_failed'),
  said('processing', 3_000),
  said('succeeded', 4_000),
  { about: 'charge', atMs: 5_000, refundedCents: 40, isDisputed: false },
  { about: 'charge', atMs: 6_000, refundedCents: 100, isDisputed: false },
  { about: 'charge', atMs: 7_000, refundedCents: 0, isDisputed: true },
];

const endOf = (words: readonly Word[]) => words.reduce((standing, word) => stepOf(standing, word).next, fresh);
const counted = (words: readonly Word[], what: (word: Word, standing: Standing) => boolean) => {
  let standing = fresh;
  return words.filter((word) => {
    const is = what(word, standing);
    standing = stepOf(standing, word).next;
    return is;
  }).length;
};

describe('stepOf', () => {
  it('comes to the same end in every order, with repeats', () => {
    const shuffled = fc.shuffledSubarray([...life, ...life, ...life], { minLength: life.length * 3 });

    fc.assert(
      fc.property(shuffled, (words) => {
        expect(endOf(words)).to.deep.equal(endOf(life));
      }),
    );
  });

  it('is paid once, and stopped once for each reason, in every order', () => {
    const shuffled = fc.shuffledSubarray([...life, ...life], { minLength: life.length * 2 });

    fc.assert(
      fc.property(shuffled, (words) => {
        expect(counted(words, (word, standing) => stepOf(standing, word).isPaid)).to.equal(1);
        expect(counted(words, (word, standing) => stepOf(standing, word).stopped === 'refunded')).to.equal(1);
        expect(counted(words, (word, standing) => stepOf(standing, word).stopped === 'disputed')).to.equal(1);
      }),
    );
  });

  it('tells of a failed try only before the end', () => {
    const failed = said('requires_payment_method', 2_000, 'payment_intent.payment_failed');

    expect(stepOf(fresh, failed).emit).to.equal('payment.failed');
    expect(stepOf({ ...fresh, status: 'succeeded' }, failed).emit).to.equal(null);
    expect(stepOf({ ...fresh, status: 'succeeded' }, said('succeeded', 9_000)).emit).to.equal(null);
  });

  it('lets no older word of an open payment replace a newer one', () => {
    const processing = endOf([said('processing', 3_000)]);

    expect(endOf([said('processing', 3_000), said('requires_action', 2_000)])).to.deep.equal(processing);
  });
});

describe('shownStatus', () => {
  it('shows what became of the money before the last word', () => {
    expect(shownStatus({ status: 'succeeded', refundedCents: 0, isDisputed: false })).to.equal('succeeded');
    expect(shownStatus({ status: 'succeeded', refundedCents: 1, isDisputed: false })).to.equal('refunded');
    expect(shownStatus({ status: 'succeeded', refundedCents: 1, isDisputed: true })).to.equal('disputed');
  });
});

describe('isFullyPaid', () => {
  it('wants the whole amount in the same currency', () => {
    const asked = { amountCents: 100, currency: 'usd' };

    expect(isFullyPaid(asked, { receivedCents: 100, currency: 'usd' })).to.equal(true);
    expect(isFullyPaid(asked, { receivedCents: 99, currency: 'usd' })).to.equal(false);
    expect(isFullyPaid(asked, { receivedCents: 100, currency: 'jpy' })).to.equal(false);
  });
});
