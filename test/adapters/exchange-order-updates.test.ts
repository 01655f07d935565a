import { expect } from 'chai';
import type { ResponseCache } from '../../src/kernel/shared-upstream.ts';
import { latestOf, orderUpdatesIn } from '../../src/venues/exchange/adapter/order-updates.ts';
import { readRecord } from '../../src/venues/exchange/adapter/orders.ts';
import type { OrderRecord } from '../../src/venues/exchange/adapter/types.ts';

const CLOID = `0x${'c'.repeat(32)}`;
const REPLACED_MS = 1_782_526_679_879;

const row = (oid: number, status: string, statusTimestamp: number) => ({
  order: {
    ...{ coin: 'BTC', side: 'B', limitPx: '50000.0', sz: '0.01', origSz: '0.01', oid, cloid: CLOID },
    timestamp: REPLACED_MS - 5_000,
  },
  status,
  statusTimestamp,
});
const placed = row(481_029_459_465, 'open', REPLACED_MS - 5_000);
const ended = row(481_029_459_465, 'canceled', REPLACED_MS);
const replacement = row(481_029_461_999, 'open', REPLACED_MS);

const recordOf = (wire: object): OrderRecord => {
  const record = readRecord(wire);
  if (!record) throw new Error('unreadable');
  return record;
};

/** The updates of one process. */
const updatesOf = () => {
  const kept = new Map<string, unknown>();
  const responses: ResponseCache = {
    find: async (name) => (kept.has(name) ? { body: kept.get(name), ageMs: 0 } : null),
    keep: async (name, body) => void kept.set(name, body),
  };
  return orderUpdatesIn(responses, 60_000);
};

describe('what the stream says of an order that other software has replaced', () => {
  for (const [order, told] of [
    ['the replacement first', [placed, replacement, ended]],
    ['the end first', [placed, ended, replacement]],
  ] as const) {
    it(`is the replacement, reported with ${order}`, async () => {
      const updates = updatesOf();

      for (const wire of told) await updates.keep(CLOID, { record: recordOf(wire), wire });

      expect((await updates.find(CLOID))?.order.oid).to.equal(replacement.order.oid);
    });
  }

  it('counts before a read that shows the end of the other order', () => {
    const read = { kind: 'found', data: recordOf(ended) } as const;

    const latest = latestOf(read, recordOf(replacement));

    expect(latest).to.have.nested.property('data.order.oid', replacement.order.oid);
    expect(latest).to.have.nested.property('data.state', 'open');
  });
});
