import { expect } from 'chai';
import type { Reply } from '../../src/adapters/http.ts';
import type { IntentOf } from '../../src/intents/define.ts';
import { found, type ReadResult, rejected, unreadable } from '../../src/kernel/upstream-result.ts';
import { submitResponse } from '../../src/venues/network/adapter/orders.ts';
import type { Signal } from '../../src/venues/network/adapter/signal-types.ts';
import type { Dashboard, DashboardOrder, Netvenue, OrderBook } from '../../src/venues/network/adapter/types.ts';
import { cancel } from '../../src/venues/network/orders/cancel.ts';
import { close } from '../../src/venues/network/orders/close.ts';
import { edit } from '../../src/venues/network/orders/edit.ts';
import { findPlaced } from '../../src/venues/network/orders/evidence.ts';
import { place } from '../../src/venues/network/orders/place.ts';
import { readOpenPosition } from '../../src/venues/network/orders/positions.ts';
import { protect } from '../../src/venues/network/orders/protect.ts';
import { orderUpdateOf } from '../../src/venues/network/orders/rested.ts';

const UUID = '00000000-0000-4000-8000-000000000001';
const HOTKEY = 'entity_1';
const TERMS = { trade_pair: 'BTCUSDC', order_type: 'LONG', execution_type: 'LIMIT', limit_price: 90, quantity: 1 };
const SIGNAL = { ...TERMS, stop_loss: 80, order_uuid: UUID, subaccount_id: 1 } as unknown as Signal;

const NONE = ['leverage', 'value', 'stopPrice', 'stopCondition', 'takeProfit', 'trailingStop', 'source', 'price'];
const TRADED = { tradePair: 'BTCUSDC', orderType: 'LONG', executionType: 'LIMIT', quantity: 1, limitPrice: 90 };
const blank = { ...Object.fromEntries(NONE.map((name) => [name, null])), ...TRADED, stopLoss: 80, processedMs: 5 };
const order = (uuid: string, more: Partial<DashboardOrder> = {}): DashboardOrder =>
  ({ ...blank, uuid, ...more }) as DashboardOrder; // as: all members are above

/** What the network has of a trader; both of its records follow from it. */
type Truth = {
  resting?: DashboardOrder[];
  filled?: DashboardOrder[];
  cancelled?: DashboardOrder[];
  closed?: boolean;
  unlisted?: boolean;
};

const dashboardOf = ({ resting = [], filled = [], closed = false }: Truth): Dashboard => {
  const [opening] = filled;
  const shown = opening && {
    uuid: opening.uuid,
    tradePair: 'BTCUSDC',
    side: closed ? ('FLAT' as const) : ('LONG' as const),
    closeMs: closed ? 9 : null,
    filledOrders: filled,
    unfilledOrders: [],
  };
  return {
    status: 'active',
    positions: shown ? [shown] : [],
    openOrders: resting,
    reported: { positions: shown !== undefined, orders: resting.length > 0 },
    atMs: 1,
  } as unknown as Dashboard; // as: only members that are read here
};
const bookOf = ({ resting = [], filled = [], cancelled = [], unlisted = false }: Truth): OrderBook => ({
  unfilled: resting,
  filled: unlisted ? [] : filled,
  cancelled,
});

const exit = order(`${UUID}-bracket-0`, { executionType: 'BRACKET', orderType: 'SHORT' });
const fill = order(UUID, { price: 90 });
const TRUTHS: Record<string, Truth> = {
  nothing: {},
  resting: { resting: [order(UUID)] },
  'resting with new terms': { resting: [order(UUID, { limitPrice: 91 })] },
  triggered: { resting: [order(`${UUID}-limit`)] },
  cancelled: { cancelled: [order(UUID)] },
  'filled with its exits': { filled: [fill], resting: [exit] },
  'filled without exits': { filled: [fill] },
  'filled, its exits cancelled': { filled: [fill], cancelled: [exit] },
  'filled, and listed as cancelled': { filled: [fill], cancelled: [order(UUID)] },
  'filled with new terms': { filled: [{ ...fill, limitPrice: 91 }], resting: [exit] },
  'filled, and listed only as cancelled': { filled: [fill], cancelled: [order(UUID)], unlisted: true },
  'closed by its exit': { filled: [fill, { ...exit, price: 80 }], closed: true },
};

type Reads = { dashboard: ReadResult<Dashboard>; book: ReadResult<OrderBook> };
const away = unreadable('away');
const readsOf = (truth: Truth): Reads => ({ dashboard: found(dashboardOf(truth)), book: found(bookOf(truth)) });
const PARTS: [string, (reads: Reads) => Reads][] = [
  ['the dashboard', (reads) => ({ ...reads, dashboard: away })],
  ['the book', (reads) => ({ ...reads, book: away })],
  ['either', () => ({ dashboard: away, book: away })],
];

const saidOf = (about: string) => rejected(about, 'The venue said so.');
const venueOf = ({ dashboard, book }: Reads, about: string) =>
  ({
    dashboard: async () => dashboard,
    orders: async () => book,
    submit: async () => ({ kind: 'unproven', said: saidOf(about), attempts: 'one', endedIt: true }),
  }) as unknown as Netvenue; // as: calls nothing else
const db = { exists: async () => false, one: async () => ({ placement: 'succeeded' }) };
const depsFor = (reads: Reads, about: string) =>
  ({ db, venues: { ofTrader: async () => venueOf(reads, about) } }) as never; // as: sending reads nothing else
const limits = { notAfter: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal };
const intent = { id: UUID, lane: null, request: { trader: HOTKEY, subaccount_id: 1 } } as IntentOf<never>;

/** Every look-up of a unproven rejection or of a lost response, as it reads the records. */
const LOOK_UPS: Record<string, (reads: Reads) => Promise<unknown>> = {
  'placement, rejected': (reads) =>
    place.send({ intent, payload: { signal: SIGNAL } }, depsFor(reads, 'bracket_invalid'), limits),
  'placement, lost': (reads) => findPlaced({ venue: venueOf(reads, ''), trader: HOTKEY }, SIGNAL, { kind: 'absent' }),
  cancellation: (reads) =>
    cancel.send(
      { intent, payload: { signal: SIGNAL, target: UUID, terms: { ...TERMS, stop_loss: 80 } as never } },
      depsFor(reads, 'rejected_by_venue'),
      limits,
    ),
  edit: (reads) =>
    edit.send(
      {
        intent,
        payload: {
          signal: { ...SIGNAL, execution_type: 'LIMIT_EDIT', limit_price: 91 },
          target: UUID,
          before: TERMS as never,
          terms: TERMS as never,
        },
      },
      depsFor(reads, 'rejected_by_venue'),
      limits,
    ),
  close: (reads) =>
    close.send(
      { intent, payload: { ...closing, position_uuid: UUID, since_ms: 1 } },
      depsFor(reads, 'rejected_by_venue'),
      limits,
    ),
  protection: (reads) =>
    protect.send(
      { intent, payload: { signal: protecting, bracket: UUID, terms: TERMS as never } },
      depsFor(reads, 'rejected_by_venue'),
      limits,
    ),
  'protection that replaces another': (reads) =>
    protect.send(
      {
        intent,
        payload: { signal: { ...protecting, execution_type: 'LIMIT_EDIT' }, bracket: UUID, terms: TERMS as never },
      },
      depsFor(reads, 'rejected_by_venue'),
      limits,
    ),
};
const protecting = { ...SIGNAL, execution_type: 'BRACKET' as const, order_uuid: exit.uuid, stop_loss: 85 };
const closing = { signal: { ...SIGNAL, execution_type: 'FLAT_ALL' as const } };

const conclusion = (result: unknown) => {
  const { kind, ...more } = result as { kind: string };
  return kind === 'unknown' ? 'unknown' : JSON.stringify({ kind, ...more });
};

describe('a look-up at the network', () => {
  for (const [name, reconcile] of Object.entries(LOOK_UPS))
    for (const [what, truth] of Object.entries(TRUTHS))
      it(`of a ${name} concludes nothing else when a record is missing: ${what}`, async () => {
        const whole = conclusion(await reconcile(readsOf(truth)));
        for (const [missing, without] of PARTS)
          expect(conclusion(await reconcile(without(readsOf(truth)))), `without ${missing}`).to.be.oneOf([
            'unknown',
            whole,
          ]);
      });

  it('concludes something of every truth, with both records', async () => {
    for (const [name, reconcile] of Object.entries(LOOK_UPS))
      for (const [what, truth] of Object.entries(TRUTHS)) {
        if (name === 'cancellation' || name === 'close') continue; // always looked up once more
        expect(conclusion(await reconcile(readsOf(truth))), `${name}, ${what}`).not.to.equal('unknown');
      }
  });

  it('of what a resting order became records nothing else when a record is missing', () => {
    const terms = { ...TERMS, stop_loss: 80 } as never;
    for (const [what, truth] of Object.entries(TRUTHS)) {
      const whole = orderUpdateOf(readsOf(truth), UUID, terms);
      for (const [missing, without] of PARTS)
        expect(orderUpdateOf(without(readsOf(truth)), UUID, terms), `${what}, without ${missing}`).to.deep.oneOf([
          null,
          whole,
        ]);
    }
  });

  it('does not take a section that the dashboard lacks for an empty one', async () => {
    const reads = readsOf({ filled: [fill], resting: [exit] });
    if (reads.dashboard.kind !== 'found') throw new Error('It is');
    const reported = { positions: true, closed: true, orders: false };
    const lacking = { ...reads.dashboard.data, openOrders: [], reported };
    const held = (book: Reads['book']) =>
      readOpenPosition(venueOf({ dashboard: found(lacking), book }, ''), HOTKEY, 'BTCUSDC');

    expect(await held(away)).to.have.property('brackets', null);
    expect(await held(reads.book)).to.have.deep.property('brackets', [exit]);
  });
});

/** How builds print the accepted order, and whether the text says what was executed. See venues/network.md#responses. */
const PRINTED: [string, unknown, boolean][] = [
  ['JSON', JSON.stringify({ order_type: 'LONG', quantity: 1, price: 90 }), true],
  ['Python', "{'order_type': 'LONG', 'quantity': 1.0, 'price': 90.0, 'stop_loss': None, 'is_hl': True}", true],
  ['Python with an enumeration', "{'order_type': 'OrderType.LONG', 'quantity': 1, 'price': 90}", true],
  ['an object', { order_type: 'LONG', quantity: 1, price: 90 }, true],
  ['an object by validator', { '5Hot': "{'order_type': 'LONG', 'quantity': 1, 'price': 90}" }, true],
  ['JSON without a price', JSON.stringify({ order_type: 'LONG', quantity: 1, price: 0 }), false],
  ['Python that is cut', "{'order_type': 'LONG', 'quanti", false],
  ['a text that is neither', '<Order LONG>', false],
  ['an empty text', '', false],
  ['nothing', null, false],
];

describe('what was executed of an accepted market order', () => {
  const sold = { ...SIGNAL, execution_type: 'MARKET' as const };
  const [bought, unread] = [readsOf({ filled: [fill], resting: [exit] }), { dashboard: away, book: away }];
  const placed = (order_json: unknown, reads: Reads) => {
    const body = { success: true, order_uuid: UUID, order_json, error_message: '', processing_time: 1 };
    const venue = {
      ...venueOf(reads, ''),
      submit: async () =>
        submitResponse({ kind: 'response', status: 200, text: JSON.stringify(body) } as Reply, sold, 1_000),
    };
    const deps = { venues: { ofTrader: async () => venue } } as never; // as: sending uses nothing else
    return place.send({ intent, payload: { signal: sold } }, deps, limits);
  };

  for (const [printed, order_json, saysIt] of PRINTED)
    it(`is reported when the miner prints ${printed}`, async () => {
      const executed = { order_type: 'LONG', quantity: 1, price: 90 };

      expect(await placed(order_json, bought))
        .to.have.nested.property('data.executed')
        .that.includes(executed);
      const blind = await placed(order_json, unread);
      if (saysIt) expect(blind).to.have.nested.property('data.executed').that.includes(executed);
      else expect(blind).to.include({ kind: 'unknown', acknowledged: true }); // and is looked up at once
    });

  it('is reported of an order that only the position, or only the book, shows', async () => {
    const dashboardOnly = { ...bought, book: found(bookOf({})) };
    const bookOnly = { ...bought, dashboard: found(dashboardOf({})) };

    for (const reads of [dashboardOnly, bookOnly])
      expect(await placed(null, reads))
        .to.have.nested.property('data.executed')
        .that.includes({ price: 90 });
  });
});
