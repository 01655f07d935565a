import { expect } from 'chai';
import type { Fill } from '../../src/adapters/exchange/types.ts';
import { roundTrips } from '../../src/portfolio/history/round-trips.ts';

let trades = 0;
const fill = (side: Fill['side'], size: string, startPosition: string, more: Partial<Fill> = {}): Fill => {
  trades += 1;
  return {
    tradeId: trades,
    oid: trades,
    cloid: null,
    coin: 'BTC',
    side,
    price: '100',
    size,
    timeMs: trades,
    startPosition,
    direction: '',
    closedPnl: '0',
    fee: '1',
    feeToken: 'USDC',
    isLiquidation: false,
    ...more,
  };
};

describe('round trips on the exchange', () => {
  it('end when the position is zero', () => {
    const trips = roundTrips([
      fill('buy', '1', '0'),
      fill('buy', '1', '1'),
      fill('sell', '1', '2', { price: '110', closedPnl: '10' }),
      fill('sell', '1', '1', { price: '120', closedPnl: '20' }),
    ]);

    expect(trips).to.have.length(1);
    expect(trips[0]).to.include({ side: 'long', size: '2', entryPrice: '100', realizedPnl: '30', fees: '4' });
  });

  it('include the entry of a short one', () => {
    const [trip] = roundTrips([fill('sell', '2', '0'), fill('buy', '2', '-2', { price: '90', closedPnl: '20' })]);

    expect(trip).to.include({ side: 'short', entryPrice: '100', realizedPnl: '20' });
  });

  it('include the entry of what was opened before the first known execution, and mark its opening as unknown', () => {
    const [trip] = roundTrips([fill('sell', '3', '3', { price: '90', closedPnl: '-30' })]);

    expect(trip).to.include({ side: 'long', size: '3', entryPrice: '100', openMs: null });
  });

  it('split an order that reverses a position', () => {
    const trips = roundTrips([
      fill('buy', '1', '0'),
      fill('sell', '3', '1', { price: '110', closedPnl: '10' }),
      fill('buy', '2', '-2', { price: '100', closedPnl: '20' }),
    ]);

    expect(trips.map(({ side, size, entryPrice }) => ({ side, size, entryPrice }))).to.deep.equal([
      { side: 'long', size: '1', entryPrice: '100' },
      { side: 'short', size: '2', entryPrice: '110' },
    ]);
  });

  it('separate coins and omit open positions', () => {
    const trips = roundTrips([
      fill('buy', '1', '0'),
      fill('sell', '5', '0', { coin: 'ETH' }),
      fill('sell', '1', '1', { isLiquidation: true }),
    ]);

    expect(trips).to.have.length(1);
    expect(trips[0]).to.include({ coin: 'BTC', isLiquidation: true });
  });
});
