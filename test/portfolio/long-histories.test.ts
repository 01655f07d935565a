import { expect } from 'chai';
import type { Fill } from '../../src/venues/exchange/adapter/types.ts';
import { closedPositions, filledOrders } from '../../src/venues/exchange/portfolio/history.ts';
import { roundTrips } from '../../src/venues/exchange/portfolio/round-trips.ts';
import type { DashboardOrder } from '../../src/venues/network/adapter/types.ts';
import { filledOrders as filledAtNetwork } from '../../src/venues/network/portfolio/filled-orders.ts';
import { turnsDuring } from '../support/turns.ts';

const MANY = 2_000;
const PARTS = 9; // of 200 each, and less than one that is not over
const always = { fromMs: 0, toMs: null };

/** Positions that are opened and closed, in ten coins. */
const fills = Array.from({ length: MANY }, (_, n): Fill => {
  const [side, startPosition] = n % 2 ? (['sell', '1'] as const) : (['buy', '0'] as const);
  const numbered = { tradeId: n, oid: n, timeMs: n, coin: `C${Math.floor((10 * n) / MANY)}` };
  return {
    ...{ ...numbered, cloid: null, side, startPosition, price: '100', size: '1', direction: '' },
    ...{ closedPnl: '0', fee: '1', feeToken: 'USDC', isLiquidation: false },
  };
});
const exits = { takeProfit: null, stopLoss: null };
const order = {
  tradePair: 'BTCUSDC',
  orderType: 'LONG',
  executionType: 'MARKET',
  quantity: 1,
  price: 100,
  limitPrice: null,
  ...exits,
};
const orders = fills.map(({ oid }) => ({ ...order, uuid: `${oid}`, processedMs: oid }) as unknown as DashboardOrder); // as: what is read of it

describe('a history of thousands of entries is computed in parts, between which the process does other work', () => {
  it('round trips at the exchange, of whichever coins', async () => {
    const { result, turns } = await turnsDuring(() => roundTrips(fills, new Map()));

    expect(result).to.have.length(MANY / 2);
    expect(turns).to.be.at.least(PARTS);
  });

  it('closed positions at the exchange, beyond their round trips', async () => {
    const { result, turns } = await turnsDuring(() => closedPositions(fills, always, new Map()));

    expect(result).to.have.length(MANY / 2);
    expect(turns).to.be.at.least(PARTS + PARTS / 3);
  });

  it('filled orders at the exchange', async () => {
    const { result, turns } = await turnsDuring(() => filledOrders(fills, new Map(), always));

    expect(result).to.have.length(MANY);
    expect(turns).to.be.at.least(PARTS);
  });

  it('filled orders at the network', async () => {
    const { result, turns } = await turnsDuring(() => filledAtNetwork(orders, new Map(), always, undefined));

    expect(result).to.have.length(MANY);
    expect(turns).to.be.at.least(PARTS);
  });
});
