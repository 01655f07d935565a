import { expect } from 'chai';
import { ApiError } from '../../src/kernel/errors.ts';
import type { DashboardOrder } from '../../src/venues/network/adapter/types.ts';
import { filledOrders } from '../../src/venues/network/portfolio/filled-orders.ts';

const order = { uuid: 'o', tradePair: 'BTCUSDC', orderType: 'LONG', quantity: 1, price: 100, processedMs: 5 };
const history = (more: Partial<DashboardOrder>) => () =>
  // as: what an order of a history is shown by
  filledOrders(
    [{ ...order, takeProfit: null, stopLoss: null, limitPrice: null, ...more } as DashboardOrder],
    new Map(),
    {
      fromMs: 0,
      toMs: null,
    },
    undefined,
  );

describe('what the network leaves out of a history', () => {
  it('makes it unreadable, and no order is left out', () => {
    expect(history({})()).to.have.length(1);
    for (const gap of [{ processedMs: null }, { tradePair: null }])
      expect(history(gap), JSON.stringify(gap)).to.throw(ApiError).with.property('code', 'VENUE_UNREADABLE');
  });
});
