import { expect } from 'chai';
import { found, type ReadResult, unreadable } from '../../src/kernel/upstream-result.ts';
import { tradePairsResponse } from '../../src/venues/network/adapter/books.ts';
import type { Signal } from '../../src/venues/network/adapter/signal-types.ts';
import type { Dashboard, DashboardOrder, Netvenue, OrderBook } from '../../src/venues/network/adapter/types.ts';
import { findClosed, mayTouchOthers } from '../../src/venues/network/orders/close.ts';
import { readOpenPosition } from '../../src/venues/network/orders/positions.ts';

/** Registries as builds print them: the oldest, those that close by uuid, and the newest. */
const registry = (pair: object, list = 'allowed') =>
  tradePairsResponse({ kind: 'response', status: 200, text: JSON.stringify({ [list]: [pair] }) } as never);
const pair = { trade_pair_id: 'BTCUSDC', trade_pair: 'BTC/USDC', max_leverage: 1 };
const REGISTRIES = {
  oldest: registry(pair, 'allowed_trade_pairs'),
  newer: registry({ ...pair, standard_positional_leverage_by_tier: { 1: 1.5 } }),
  newest: registry({ ...pair, subaccount_positional_leverage_by_tier: { 1: 1.5 } }),
  unread: unreadable('away'),
};
const position = (tradePair: string) => ({ uuid: tradePair, tradePair, side: 'LONG', closeMs: null, filledOrders: [] });
const order = (tradePair: string | null, executionType: string) => ({ tradePair, executionType });
const both = [position('BTCUSDC'), position('ETHUSDC')];
const whole = { positions: true };
const ACCOUNTS: Record<string, { positions: object[]; openOrders: object[]; reported: { positions: boolean } }> = {
  alone: { positions: [position('BTC/USDC')], openOrders: [order('BTCUSDC', 'BRACKET')], reported: whole },
  'beside a position': { positions: both, openOrders: [], reported: whole },
  'beside a position that cannot be read': {
    positions: [position('BTCUSDC')],
    openOrders: [],
    reported: { positions: false },
  },
  'beside exits': { positions: both, openOrders: [order('ETHUSDC', 'BRACKET')], reported: whole },
  'beside a resting order': {
    positions: [position('BTCUSDC')],
    openOrders: [order('ETHUSDC', 'LIMIT')],
    reported: whole,
  },
  'beside an unnamed order': {
    positions: [position('BTCUSDC')],
    openOrders: [order(null, 'BRACKET')],
    reported: whole,
  },
};

/** Where FLAT_ALL touches nothing else, by the facts: style, registry, account. */
const HARMLESS = (style: string, build: keyof typeof REGISTRIES, account: string): boolean => {
  if (style === 'market_flat') return false;
  if (account === 'alone') return true;
  if (!account.startsWith('beside a position')) return false;
  return build === 'newer' || build === 'newest' || (build === 'unread' && style === 'flat_all');
};

describe('how a position is closed', () => {
  for (const style of ['auto', 'flat_all', 'market_flat'] as const)
    for (const [build, pairs] of Object.entries(REGISTRIES))
      it(`uses FLAT_ALL only where it touches nothing else: ${style}, ${build} registry`, () => {
        for (const [account, held] of Object.entries(ACCOUNTS))
          expect(
            mayTouchOthers(style, held as never, { pairs, trade_pair: 'BTCUSDC' }), // as: only members that are read
            account,
          ).to.equal(!HARMLESS(style, build as keyof typeof REGISTRIES, account));
      });
});

describe('a position to close or protect', () => {
  const open = (positions: object[]) => {
    const shown = { positions, openOrders: [], reported: { positions: false, orders: true } };
    const book = { unfilled: [], filled: [{ tradePair: 'BTCUSDC' }], cancelled: [] };
    const venue = { dashboard: async () => found(shown), orders: async () => found(book) };
    return readOpenPosition(venue as unknown as Netvenue, 'entity_1', 'BTCUSDC'); // as: reads only
  };

  it('is found beside another that cannot be read, unless it may be that one', async () => {
    expect(await open([position('BTCUSDC')])).to.have.nested.property('position.tradePair', 'BTCUSDC');
    for (const positions of [[], [position('ETHUSDC')]]) expect(await open(positions)).to.equal('unreadable');
  });
});

describe('what a FLAT_ALL came to', () => {
  const UUID = '00000000-0000-4000-8000-000000000001';
  const signal: Signal = { execution_type: 'FLAT_ALL', order_uuid: UUID, subaccount_id: 1 };
  const closedBy = (uuid: string) => ({
    ...position('BTCUSDC'),
    uuid: UUID,
    side: 'FLAT',
    closeMs: 9,
    filledOrders: [{ uuid }],
  });
  const lostExit = { uuid: 'x', tradePair: 'ETHUSDC', executionType: 'BRACKET', processedMs: 5 };
  const find = (
    positions: object[],
    book: ReadResult<Partial<OrderBook>>,
    {
      since_ms = 1,
      sent = signal,
      isWhole = true,
    }: { since_ms?: number | null; sent?: Signal; isWhole?: boolean } = {},
  ) => {
    const dashboard = found({
      positions,
      openOrders: [],
      reported: { positions: isWhole, orders: true },
    } as unknown as Dashboard);
    const venue = { dashboard: async () => dashboard, orders: async () => book } as unknown as Netvenue; // as: reads only
    return findClosed({ venue, trader: 'entity_1' }, { signal: sent, position_uuid: UUID, since_ms });
  };
  const bookWith = (...cancelled: object[]) =>
    found({ unfilled: [], filled: [], cancelled: cancelled as DashboardOrder[] });

  for (const since of [1, null])
    it(`is reported with the pairs that lost their exits (${since})`, async () => {
      const result = await find([closedBy(`${UUID}-flat-all`), position('ETHUSDC')], bookWith(lostExit), {
        since_ms: since,
      });

      expect(result)
        .to.have.nested.property('data.note')
        .that.matches(/ETHUSDC/);
    });

  it('is not reported while the exits of other pairs cannot be read', async () => {
    const positions = [closedBy(`${UUID}-flat-all`), position('ETHUSDC')];

    for (const book of [unreadable('away'), { kind: 'absent' } as const])
      expect(await find(positions, book)).to.include({ kind: 'unknown' });
  });

  it('is reported at once when its own order closed the position, and after the request has ended when another did', async () => {
    for (const name of [`${UUID}-flat-all`, [...UUID].reverse().join('')])
      expect(await find([closedBy(name)], bookWith())).to.include({ kind: 'accepted' });
    expect(await find([closedBy(`${UUID}-bracket-0`)], bookWith())).to.include({ kind: 'once_ended' });
  });

  it('is not known at once where the position is shown without its orders, unless the book has the closing one', async () => {
    const bare = { ...closedBy(''), filledOrders: [] };
    const price = 100;
    const book = found({
      unfilled: [],
      filled: [{ uuid: `${UUID}-flat-all`, price } as DashboardOrder],
      cancelled: [],
    });

    expect(await find([bare], bookWith())).to.include({ kind: 'once_ended' });
    expect(await find([bare], book))
      .to.include({ kind: 'accepted' })
      .and.have.nested.property('data.executed.price', price);
  });

  const bookOf = (uuid: string) => found({ unfilled: [], filled: [{ uuid } as DashboardOrder], cancelled: [] }); // as: what is read

  it('is known of a position that is shown beside one that cannot be read, and not of one that may be that', async () => {
    const beside = (positions: object[], book: ReadResult<OrderBook> = bookWith()) =>
      find(positions, book, { isWhole: false });

    expect(await beside([closedBy(`${UUID}-flat-all`)])).to.include({ kind: 'accepted' });
    expect(await beside([{ ...closedBy(''), filledOrders: [] }])).to.include({ kind: 'once_ended' });
    expect(await beside([{ ...position('BTCUSDC'), uuid: UUID }])).to.include({ kind: 'absent' });
    for (const book of [bookWith(), bookOf('another')]) expect(await beside([], book)).to.include({ kind: 'unknown' });
    expect(await beside([], bookOf(`${UUID}-flat-all`)), 'the book has its closing order').to.include({
      kind: 'accepted',
    });
  });

  it('is the same for a FLAT of the pair, which would close the next position', async () => {
    const sent: Signal = { ...signal, execution_type: 'MARKET', order_type: 'FLAT', order_uuid: 'own' };

    expect(await find([closedBy('own')], bookWith(), { sent })).to.include({ kind: 'accepted' });
    expect(await find([closedBy(`${UUID}-bracket-0`)], bookWith(), { sent })).to.include({ kind: 'once_ended' });
  });

  it('is not that nothing shows the position, until the request has ended, unless the book has its closing order', async () => {
    expect(await find([], bookWith())).to.include({ kind: 'once_ended' });
    expect(await find([], bookOf('another'))).to.include({ kind: 'once_ended' });
    expect(await find([], bookOf(`${UUID}-flat-all`))).to.include({ kind: 'accepted' });
  });
});
