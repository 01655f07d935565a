import { expect } from 'chai';
import { found, type ReadResult, rejected, unreadable } from '../../src/kernel/upstream-result.ts';
import type { ArchivedOrder, Signal } from '../../src/venues/network/adapter/signal-types.ts';
import type { Dashboard, DashboardOrder, Netvenue, OrderBook } from '../../src/venues/network/adapter/types.ts';
import { cancel } from '../../src/venues/network/orders/cancel.ts';
import { findClosed } from '../../src/venues/network/orders/close.ts';
import { findPlaced, resolveRejection } from '../../src/venues/network/orders/evidence.ts';
import { isRecorded } from '../../src/venues/network/orders/outcome.ts';
import { canShowOrder } from '../../src/venues/network/orders/venue-records.ts';

const UUID = '00000000-0000-4000-8000-000000000001';
const signal = {
  ...{ order_uuid: UUID, subaccount_id: 1, execution_type: 'LIMIT' },
  ...{ trade_pair: 'BTCUSDC', order_type: 'LONG', limit_price: 90, quantity: 1 },
} as Signal; // as: its uuid is one
const SAID = rejected('exposure_cap', 'The order would exceed an exposure limit of the account.');
const ABSENT = { kind: 'absent' } as const;

const dashboard = (reported = { positions: true, orders: true }): ReadResult<Dashboard> =>
  found({ status: 'active', positions: [], openOrders: [], reported } as unknown as Dashboard); // as: only members that are read
const book = (cancelled: object[] = []): ReadResult<OrderBook> =>
  found({ unfilled: [], filled: [], cancelled: cancelled as DashboardOrder[] }); // as: only members that are read
const archived = (more: Partial<ArchivedOrder>): ReadResult<ArchivedOrder> =>
  found({ status: 'completed', executionType: 'LIMIT', accepted: null, said: null, ...more });
const at = (shown: ReadResult<Dashboard>, listed: ReadResult<OrderBook>) => ({
  venue: { dashboard: async () => shown, orders: async () => listed } as unknown as Netvenue,
  trader: 'entity_1' as never,
});
const cancelledOrder = { uuid: UUID, tradePair: 'BTCUSDC', executionType: 'LIMIT', price: null };
const done = { executed: null, processingTimeS: null, note: null, attempts: 'one' } as const;

describe('what the records of the network prove of an order', () => {
  for (const [what, shown, listed, archive, kind] of [
    ['complete records without it', dashboard(), book(), ABSENT, 'absent'],
    [
      'complete records without it, while the archive cannot be read',
      dashboard(),
      book(),
      unreadable('away'),
      'unknown',
    ],
    ['records of a validator that has neither the trader nor its book', ABSENT, ABSENT, ABSENT, 'unknown'],
    [
      'an acceptance in the archive, and complete records',
      dashboard(),
      book(),
      archived({ accepted: done }),
      'accepted',
    ],
    [
      'a rejection in the archive of an order that is listed as cancelled',
      dashboard(),
      book([cancelledOrder]),
      archived({ status: 'failed', said: SAID }),
      'rejected',
    ],
    [
      'an acceptance in the archive that tells no price, while the book cannot be read',
      dashboard(),
      unreadable('away'),
      archived({ accepted: done }),
      'unknown',
    ],
    [
      'a rejection in the archive, while the dashboard cannot be read',
      unreadable('away'),
      book(),
      archived({ status: 'failed', said: SAID }),
      'unknown',
    ],
    [
      'complete records without it, and the rejection of its cancellation in the archive',
      dashboard(),
      book(),
      archived({ status: 'failed', executionType: 'LIMIT_CANCEL', said: SAID }),
      'absent',
    ],
  ] as const)
    it(`${what}: ${kind}`, async () => {
      expect(await findPlaced(at(shown, listed), signal, archive)).to.include({ kind });
    });

  const protection = { state: 'none', error: null } as const;
  const nothing = { executed: null, note: 'No position was open; nothing was executed.', isNothing: true } as const;
  for (const [price, more] of [
    [null, nothing],
    [100, {}],
  ] as const)
    it(`an accepted FLAT that complete records lack executed what its response says, else nothing: ${price}`, async () => {
      const executed = { order_type: 'FLAT', quantity: 1, value: 100, leverage: null, price };
      const flat: Signal = { ...signal, execution_type: 'MARKET', order_type: 'FLAT' };
      const archive = archived({ executionType: 'MARKET', accepted: { ...done, executed } as never }); // as: its members are read

      const placed = await findPlaced(at(dashboard(), book()), flat, archive);

      expect(placed).to.deep.equal({ kind: 'accepted', data: { ...done, executed, ...more, protection } });
    });

  it('a rejection that ended it counts, though the book lists it as cancelled', async () => {
    const unproven = { kind: 'unproven', said: SAID, attempts: 'one', endedIt: true } as const;

    const result = await resolveRejection(at(dashboard(), book([cancelledOrder])), signal, unproven);

    expect(result).to.include({ kind: 'rejected', slug: 'exposure_cap' });
  });

  for (const [attempts, kind] of [
    ['one', 'rejected'],
    ['several', 'unknown'],
  ] as const)
    it(`exits that the venue calls invalid are rejected only if no earlier attempt may have placed them: ${attempts}`, async () => {
      const said = rejected('bracket_invalid', 'The exits are invalid.');
      const unproven = { kind: 'unproven', said, attempts, endedIt: false } as const;
      const unread = at(unreadable('away'), book());

      const result = await resolveRejection(unread, { ...signal, execution_type: 'BRACKET' }, unproven);

      expect(result).to.include({ kind });
    });

  it('a book that is missing says nothing of it, unless the venue has said that it is not there', () => {
    const records = { dashboard: dashboard(), book: ABSENT };

    expect([canShowOrder(records, null), canShowOrder(records, SAID)]).to.deep.equal([false, true]);
  });

  it('the archive’s record of a cancellation may be of an earlier one', () => {
    const record = archived({ executionType: 'LIMIT_CANCEL' });

    expect(isRecorded(record, { ...signal, execution_type: 'LIMIT_CANCEL' })).to.equal(false);
  });

  it('a dashboard without its positions does not show that one is closed', async () => {
    const close = { position_uuid: UUID, since_ms: null, signal: { ...signal, execution_type: 'FLAT_ALL' as const } };
    const unread = dashboard({ positions: false, orders: true });

    expect(await findClosed(at(unread, book()), close)).to.include({ kind: 'unknown' });
  });

  it('a dashboard without its positions does not show that a filled order needs no exits', async () => {
    const protectedSignal = { ...signal, stop_loss: 80 } as Signal; // as: its uuid is one
    const filled = { ...cancelledOrder, price: 90, processedMs: 5 };
    const listed = found({ unfilled: [], filled: [filled], cancelled: [] } as unknown as OrderBook); // as: only members that are read
    const closed = { uuid: UUID, tradePair: 'BTCUSDC', side: 'FLAT', closeMs: 9, filledOrders: [filled] };
    const proven = (isWhole: boolean, positions: object[]) => {
      const shown = dashboard({ positions: isWhole, orders: true });
      if (shown.kind === 'found') Object.assign(shown.data, { positions });
      return findPlaced(at(shown, listed), protectedSignal, ABSENT);
    };

    expect(await proven(false, [])).to.include({ kind: 'unknown' });
    expect(await proven(true, [])).to.have.nested.property('data.protection.state', 'placed');
    expect(await proven(false, [closed])).to.have.nested.property('data.protection.state', 'placed');
    const open = { ...closed, side: 'LONG', closeMs: null };
    expect(await proven(false, [open])).to.have.nested.property('data.protection.state', 'failed');
  });

  for (const [what, terms, kind] of [
    ['without exits: it is cancelled', {}, 'accepted'],
    [
      'with exits is looked up: of one that was filled first, the cancellation removes them',
      { stop_loss: 80 },
      'unknown',
    ],
  ] as const)
    it(`the acceptance of a cancellation of an order ${what}`, async () => {
      const venue = { submit: async () => ({ kind: 'accepted', data: done }) };
      const deps = { venues: { ofTrader: async () => venue } } as never; // as: sending uses nothing else
      const intent = { id: UUID, lane: null, request: { trader: 'entity_1', subaccount_id: 1 } } as never; // as: nor of an intent
      const payload = { signal, target: UUID, terms: { ...signal, ...terms } } as never; // as: its uuid is one
      const limits = { notAfter: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal };

      const result = await cancel.send({ intent, payload }, deps, limits);

      expect(result).to.include(kind === 'unknown' ? { kind, acknowledged: true } : { kind });
    });
});
