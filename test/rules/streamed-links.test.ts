import { expect } from 'chai';
import type { Fill } from '../../src/venues/exchange/adapter/types.ts';
import { linksOf } from '../../src/venues/exchange/ledger/stream/links.ts';
import type { LedgerEnd } from '../../src/venues/exchange/ledger/stream/queries.ts';

const NOW = 1_700_000_000_000;

/** A purchase that starts from a position, so many milliseconds after the others. */
const fill = (tradeId: number, startPosition: string, afterMs: number, more: Partial<Fill> = {}): Fill =>
  ({
    ...{ tradeId, oid: 1, coin: 'BTC', side: 'buy', size: '1', startPosition, timeMs: NOW + afterMs },
    ...more,
  }) as Fill; // as: what is read of it
const ledger = (size: string | null, newest: string[] = []): LedgerEnd => ({
  read_to_ms: NOW,
  ends: size === null ? [] : [{ coin: 'BTC', size, filled_ms: NOW, newest }],
});
const linked = (fills: Fill[], end: LedgerEnd) => {
  const { next, waiting } = linksOf(fills, end);
  return { next: next.map(({ tradeId }) => tradeId), waiting: waiting.map(({ tradeId }) => tradeId) };
};

describe('executions that were streamed', () => {
  it('are recorded in the order of their positions, also within a millisecond', () => {
    const reordered = [fill(3, '3', 9), fill(2, '2', 5), fill(1, '1.0000000001', 5)];

    expect(linked(reordered, ledger('1'))).to.deep.equal({ next: [1, 2, 3], waiting: [] });
  });

  it('wait for those that are missing before them, of their coin alone', () => {
    const ofOther = fill(9, '0', 7, { coin: 'ETH' });

    expect(linked([fill(1, '1', 1), fill(3, '3', 3), fill(4, '0', 4), ofOther], ledger('1'))).to.deep.equal({
      next: [1, 9],
      waiting: [3, 4],
    });
  });

  it('are passed over if they are recorded, or older than what is', () => {
    const old = fill(1, '7', -1);
    const known = fill(2, '0', 0);

    expect(linked([old, known, fill(3, '1', 0)], ledger('1', ['1 2']))).to.deep.equal({ next: [3], waiting: [] });
  });

  it('begin a chain at no position, and never before the ledger', () => {
    expect(linked([fill(1, '0', -6_000), fill(2, '0', 1)], ledger(null))).to.deep.equal({ next: [2], waiting: [] });
    expect(linked([fill(2, '5', 1)], ledger(null))).to.deep.equal({ next: [], waiting: [2] });
  });

  it('have no chain on spot', () => {
    const spot = [fill(2, '5', 2, { coin: '@107' }), fill(1, '9', 1, { coin: 'PURR/USDC' })];

    expect(linked(spot, ledger('1'))).to.deep.equal({ next: [2, 1], waiting: [] });
  });
});
