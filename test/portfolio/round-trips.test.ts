import { expect } from 'chai';
import type { Fill } from '../../src/venues/exchange/adapter/types.ts';
import { roundTrips as tripsOf } from '../../src/venues/exchange/portfolio/round-trips.ts';

const roundTrips = (fills: Fill[]) => tripsOf(fills, new Map([['BTC', 5]]));

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
  it('end when the position is zero', async () => {
    const trips = await roundTrips([
      fill('buy', '1', '0'),
      fill('buy', '1', '1'),
      fill('sell', '1', '2', { price: '110', closedPnl: '10' }),
      fill('sell', '1', '1', { price: '120', closedPnl: '20' }),
    ]);

    expect(trips).to.have.length(1);
    expect(trips[0]).to.include({ side: 'long', size: '2', entryPrice: '100', realizedPnl: '30', fees: '4' });
  });

  it('include the entry of a short one', async () => {
    const [trip] = await roundTrips([fill('sell', '2', '0'), fill('buy', '2', '-2', { price: '90', closedPnl: '20' })]);

    expect(trip).to.include({ side: 'short', entryPrice: '100', realizedPnl: '20' });
  });

  it('include the entry of what was opened before the first known execution, and mark its opening as unknown', async () => {
    const [trip] = await roundTrips([fill('sell', '3', '3', { price: '90', closedPnl: '-30' })]);

    expect(trip).to.include({ side: 'long', size: '3', entryPrice: '100', openMs: null });
  });

  it('split an order that reverses a position', async () => {
    const trips = await roundTrips([
      fill('buy', '1', '0'),
      fill('sell', '3', '1', { price: '110', closedPnl: '10' }),
      fill('buy', '2', '-2', { price: '100', closedPnl: '20' }),
    ]);

    expect(trips.map(({ side, size, entryPrice }) => ({ side, size, entryPrice }))).to.deep.equal([
      { side: 'long', size: '1', entryPrice: '100' },
      { side: 'short', size: '2', entryPrice: '110' },
    ]);
  });

  it('end below half a lot: the venue adds sizes as floats', async () => {
    const [trip, ...others] = await roundTrips([
      fill('buy', '0.1', '0'),
      fill('buy', '0.2', '0.1'),
      fill('sell', '0.3', '0.30000000000000004', { closedPnl: '7' }),
      fill('buy', '1', '0.000000000000000055'),
    ]);

    expect(trip).to.include({ side: 'long', size: '0.3', realizedPnl: '7' });
    expect(others).to.deep.equal([]);
  });

  it('separate coins and omit open positions', async () => {
    const trips = await roundTrips([
      fill('buy', '1', '0'),
      fill('sell', '5', '0', { coin: 'ETH' }),
      fill('sell', '1', '1', { isLiquidation: true }),
    ]);

    expect(trips).to.have.length(1);
    expect(trips[0]).to.include({ coin: 'BTC', isLiquidation: true });
  });

  it('that end within a millisecond are numbered, in each coin', async () => {
    const oneMs = (coin: string, timeMs: number) => [
      fill('buy', '1', '0', { coin, timeMs }),
      fill('sell', '1', '1', { coin, timeMs }),
    ];

    const trips = await roundTrips([...oneMs('BTC', 1), ...oneMs('BTC', 2), ...oneMs('BTC', 2), ...oneMs('ETH', 2)]);

    expect(trips.map(({ coin, closeMs, closeId }) => `${coin} ${closeMs} ${closeId}`)).to.have.members([
      ...['BTC 1 0000', 'BTC 2 0000', 'BTC 2 0001', 'ETH 2 0000'],
    ]);
  });
});
