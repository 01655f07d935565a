import { expect } from 'chai';
import { absent, found, rejected, unreadable } from '../../src/kernel/upstream-result.ts';
import type { OrderRecord, OrderState, OrderView } from '../../src/venues/exchange/adapter/types.ts';
import { exitsOutcome } from '../../src/venues/exchange/orders/exit-outcome.ts';

const NOW = 1_700_000_000_000;
const LAG_MS = 60_000;

/** A record with a status of the venue. See venues/exchange.md#order-statuses. */
const record = (word: string, more: Partial<OrderView> & { agoMs?: number } = {}): OrderRecord => {
  const { agoMs = 120_000, ...order } = more;
  return {
    order: { oid: 7, size: '0', originalSize: '1', timeInForce: 'gtc', ...order } as OrderView, // as: what is read of it
    state: STATES[word] ?? 'unknown',
    word,
    rejected: word.endsWith('Rejected') ? rejected('bad_trigger_price', 'The trigger price is wrong.') : null,
    statusMs: NOW - agoMs,
  };
};
const STATES: Record<string, OrderState> = {
  open: 'open',
  filled: 'filled',
  triggered: 'triggered',
  canceled: 'cancelled',
  marginCanceled: 'cancelled',
  reduceOnlyCanceled: 'cancelled',
  scheduledCancel: 'cancelled',
  siblingFilledCanceled: 'cancelled',
  badTriggerPxRejected: 'rejected',
};
const partly = { size: '0.5' };
const both = (tp: string, sl: string) => [
  { leg: 'tp' as const, record: found(record(tp, { oid: 8 })) },
  { leg: 'sl' as const, record: found(record(sl, { oid: 9 })) },
];
const outcomeOf = (parent: OrderRecord, legs: Parameters<typeof exitsOutcome>[1]) =>
  exitsOutcome(parent, legs, { nowMs: NOW, lagMs: LAG_MS });

describe('the exits of an order that ended', () => {
  for (const [tp, sl] of [
    ['open', 'open'],
    ['filled', 'siblingFilledCanceled'],
    ['triggered', 'open'],
    ['reduceOnlyCanceled', 'reduceOnlyCanceled'],
    ['canceled', 'canceled'],
    ['open', 'canceled'],
  ] as const) {
    it(`filled: exits that are ${tp} and ${sl} were placed, and are not placed again`, () => {
      expect(outcomeOf(record('filled'), both(tp, sl))).to.deep.equal({
        report: { status: 'filled', tp_order_id: '8', sl_order_id: '9', trigger_status: 'placed', trigger_error: null },
        lost: [],
      });
    });
  }

  for (const word of ['canceled', 'scheduledCancel']) {
    it(`${word} by a command when it was partly filled: the exits ended with it`, () => {
      const outcome = outcomeOf(record(word, partly), both('canceled', 'canceled'));

      expect(outcome?.report).to.include({ status: 'cancelled', trigger_status: 'failed' });
      expect(outcome?.lost).to.deep.equal([]);
    });
  }

  it('ended by the venue when it was partly filled: exits that ended with it are lost', () => {
    expect(outcomeOf(record('marginCanceled', partly), both('canceled', 'canceled'))?.lost).to.deep.equal(['tp', 'sl']);
    const dropped = record('canceled', { ...partly, timeInForce: 'ioc' });
    expect(outcomeOf(dropped, both('open', 'canceled'))?.lost).to.deep.equal(['sl']);
  });

  it('ended by the venue when it was partly filled: exits that ended with the position are not placed on a later one', () => {
    const ended = both('filled', 'siblingFilledCanceled');

    for (const legs of [ended, both('reduceOnlyCanceled', 'reduceOnlyCanceled')])
      expect(outcomeOf(record('marginCanceled', partly), legs)?.lost).to.deep.equal([]);
  });

  it('half-filled: an exit that is still open may come from a replica that is behind, until reads must show its end', () => {
    const soon = { ...partly, agoMs: 25_000 };
    for (const word of ['marginCanceled', 'canceled'])
      expect(outcomeOf(record(word, soon), both('canceled', 'open')), word).to.equal(null);
    expect(outcomeOf(record('marginCanceled', partly), both('open', 'open'))?.report.trigger_status).to.equal('placed');
    const dropped = record('canceled', { ...soon, timeInForce: 'ioc' });
    expect(outcomeOf(dropped, both('open', 'open'))?.report.trigger_status).to.equal('placed');
    expect(outcomeOf(record('filled', { agoMs: 0 }), both('open', 'open'))?.report.trigger_status).to.equal('placed');
  });

  it('half-filled and never resting: it stays partial, as its caller has read', () => {
    const dropped = record('canceled', { ...partly, timeInForce: 'ioc' });

    expect(outcomeOf(dropped, both('open', 'open'))?.report.status).to.equal('partial');
    expect(outcomeOf(dropped, both('open', 'canceled'))?.report.status).to.equal('partial');
    expect(outcomeOf(record('marginCanceled', partly), both('open', 'open'))?.report.status).to.equal('cancelled');
  });

  it('unfilled: nothing is lost', () => {
    const outcome = outcomeOf(record('marginCanceled', { size: '1' }), both('canceled', 'canceled'));

    expect(outcome).to.deep.include({ lost: [] });
    expect(outcome?.report.trigger_error).to.equal('The order ended without being filled.');
  });

  it('filled, an exit rejected: that is reported', () => {
    expect(outcomeOf(record('filled'), both('open', 'badTriggerPxRejected'))?.report).to.include({
      trigger_status: 'partial_failure',
      trigger_error: 'The trigger price is wrong.',
      tp_order_id: '8',
      sl_order_id: null,
    });
  });

  it('is not decided while it is open, while a part is unreadable, or while reads may be behind', () => {
    const [tp] = both('open', 'open');
    const missing = [...(tp ? [tp] : []), { leg: 'sl' as const, record: absent }];

    expect(outcomeOf(record('open', partly), both('open', 'open'))).to.equal(null);
    expect(outcomeOf(record('filled'), [{ leg: 'tp', record: unreadable('timeout') }])).to.equal(null);
    expect(outcomeOf(record('filled', { agoMs: 25_000 }), missing)).to.equal(null);
    expect(outcomeOf(record('filled'), missing)?.lost).to.deep.equal(['sl']);
  });
});
