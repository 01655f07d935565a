import { expect } from 'chai';
import type { Dashboard, DashboardOrder, DashboardPosition } from '../../src/venues/network/adapter/types.ts';
import { closedPositions } from '../../src/venues/network/portfolio/closed-positions.ts';

/** An order at a price. A negative quantity reduces the position. */
const order = (quantity: number, price: number, processedMs: number, more: Partial<DashboardOrder> = {}) =>
  ({
    ...{ orderType: quantity < 0 ? 'FLAT' : 'LONG', executionType: 'MARKET', source: null, price, processedMs },
    ...{ quantity, value: quantity * price, takeProfit: null, stopLoss: null, ...more },
  }) as DashboardOrder; // as: what a closed position is shown by

function closedBy(...filledOrders: DashboardOrder[]) {
  const position = {
    ...{ uuid: 'p', tradePair: 'BTCUSDC', side: 'FLAT', openMs: 1, closeMs: 9, averageEntryPrice: 150, realizedPnl: 0 },
    ...{ returnNow: 1, feesTotal: null, filledOrders, unfilledOrders: [] },
  } as unknown as DashboardPosition; // as: what is shown
  const [closed] = closedPositions(
    { elimination: null, reported: { positions: true, closed: true, orders: true } } as Dashboard,
    [position],
    { fromMs: 0, toMs: null },
    undefined,
  ); // as: what is read
  return closed?.entry;
}

describe('the value of the maximum size of a closed position of the network', () => {
  it('is at the prices of all its entries', () => {
    expect(closedBy(order(1, 100, 1), order(1, 200, 2), order(-2, 500, 3))).to.include({
      ...{ size: '2', position_value: '300', entry_price: '150' },
    });
  });

  it('is without what was reduced in between', () => {
    const filled = [order(1, 100, 1), order(1, 200, 2), order(-1, 500, 3), order(3, 250, 4), order(-4, 200, 5)];
    expect(closedBy(...filled)).to.include({ size: '4', position_value: '900' });
  });

  it('is about that of a listed order where one of them lacks its value', () => {
    const filled = [order(1, 100, 1), order(1, 110, 2, { value: null }), order(-2, 120, 3)];
    expect(closedBy(...filled)).to.include({ size: '2', position_value: '200' });
  });

  it('does not count the close of a build without quantities as another entry', () => {
    const without = (filled: DashboardOrder) => ({ ...filled, quantity: null });
    expect(closedBy(without(order(2, 100, 1)), without(order(-2, 100, 2)))).to.include({ size: '2' });
  });
});
