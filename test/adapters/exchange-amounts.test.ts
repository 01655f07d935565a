import { expect } from 'chai';
import fc from 'fast-check';
import { canonical, compare, dividedBy, minus, plus, times } from '../../src/kernel/decimals.ts';
import {
  exitPrice,
  faultOf,
  type Grid,
  isOnLot,
  isOnTick,
  limitPrice,
  lotsWorth,
  marketPrice,
  reachesMinimum,
  type Side,
  wholeLots,
} from '../../src/kernel/grid.ts';
import { gridOf } from '../../src/venues/exchange/adapter/amounts.ts';
import { holds, positive } from '../support/decimals.ts';

const perp = (sizeDecimals: number) => gridOf('perp', sizeDecimals);

/** The venue's rule again, computed independently on the digits of the text. */
const followsTheRule = (price: string, { priceDecimals }: Grid): boolean => {
  const [, decimals = ''] = price.split('.');
  if (decimals === '') return true;
  return price.replace('.', '').replace(/^0+/, '').length <= 5 && decimals.length <= priceDecimals;
};

const grids = fc.tuple(fc.constantFrom('perp', 'spot'), fc.integer({ min: 0, max: 5 })).map(
  ([kind, places]) => gridOf(kind as 'perp' | 'spot', places), // as: one of the two above
);
const sides = fc.constantFrom<Side>('buy', 'sell');
describe('prices on the exchange’s steps', () => {
  for (const [price, sizeDecimals, fits] of [
    ['1234.5', 0, true],
    ['1234.56', 0, false],
    ['0.001234', 0, true],
    ['0.0012345', 0, false],
    ['0.01234', 1, true],
    ['0.012345', 1, false],
    ['123456', 5, true],
    ['12345.6', 1, false],
    ['1234567', 0, true],
    ['0', 0, false],
    ['-1', 0, false],
  ] as const) {
    it(`${fits ? 'include' : 'do not include'} ${price} with ${sizeDecimals} decimals of size`, () => {
      expect(isOnTick(perp(sizeDecimals), price)).to.equal(fits);
    });
  }

  it('have eight decimals minus the decimals of the size for spot pairs', () => {
    expect(isOnTick(gridOf('spot', 0), '0.00001234')).to.equal(true);
    expect(isOnTick(gridOf('spot', 5), '0.00012')).to.equal(false);
  });

  it('keep whole numbers whole, and otherwise round in favor of the caller', () => {
    const grid = perp(0);

    expect([limitPrice(grid, 'buy', '123456.7'), limitPrice(grid, 'sell', '123456.7')]).to.deep.equal([
      '123456',
      '123457',
    ]);
    expect([limitPrice(grid, 'buy', '97123.456'), limitPrice(grid, 'sell', '97123.456')]).to.deep.equal([
      '97123',
      '97124',
    ]);
    expect([limitPrice(grid, 'buy', '99999.5'), limitPrice(grid, 'sell', '99999.5')]).to.deep.equal([
      '99999',
      '100000',
    ]);
    expect([limitPrice(grid, 'buy', '9.99999'), limitPrice(grid, 'sell', '9.99999')]).to.deep.equal(['9.9999', '10']);
  });

  it('are never worse for the caller than requested, and no step is closer', () => {
    holds([grids, sides, positive], (grid, side, price) => {
      const limit = limitPrice(grid, side, price);

      if (limit === null) {
        expect(side).to.equal('buy');
        return;
      }
      expect(isOnTick(grid, limit)).to.equal(true);
      expect(followsTheRule(limit, grid)).to.equal(true);
      expect(compare(limit, price) * (side === 'buy' ? 1 : -1)).to.be.at.most(0);
      if (isOnTick(grid, price)) expect(limit).to.equal(canonical(price));
    });
  });

  it('agree with the rule read from the digits', () => {
    holds([grids, positive], (grid, price) => {
      expect(isOnTick(grid, price)).to.equal(followsTheRule(canonical(price), grid));
    });
  });

  it('of a market order never pass its bound', () => {
    const slippages = fc.integer({ min: 0, max: 1_000 }).map((points) => dividedBy(String(points), '10000', 4, 'down'));
    holds([grids, sides, positive, slippages], (grid, side, mid, slippage) => {
      const price = marketPrice(grid, side, mid, slippage);
      const bound = times(mid, side === 'buy' ? plus('1', slippage) : minus('1', slippage));

      if (price === null) return;
      expect(isOnTick(grid, price)).to.equal(true);
      expect(compare(price, bound) * (side === 'buy' ? 1 : -1)).to.be.at.most(0);
    });
  });

  it('of exits are never below the requested value and never trigger later', () => {
    holds([grids, positive], (grid, price) => {
      const [long, short] = [exitPrice(grid, 'long', price), exitPrice(grid, 'short', price)];

      expect(compare(long ?? '0', price)).to.be.at.least(0);
      expect(compare(short ?? '0', price)).to.be.at.most(0);
      expect(short === null || isOnTick(grid, short)).to.equal(true);
    });
  });

  it('do not change when rounded again', () => {
    holds([grids, sides, positive], (grid, side, price) => {
      const once = limitPrice(grid, side, price);

      expect(once && limitPrice(grid, side, once)).to.equal(once);
    });
  });
});

describe('sizes on the exchange’s steps', () => {
  it('are rounded down, to null where nothing is left', () => {
    expect([wholeLots(perp(2), '1.239'), wholeLots(perp(0), '0.9'), wholeLots(perp(3), '5')]).to.deep.equal([
      '1.23',
      null,
      '5',
    ]);
    expect([lotsWorth(perp(5), '100', '97123'), lotsWorth(perp(0), '10', '97123')]).to.deep.equal(['0.00102', null]);
  });

  it('never cost more than the requested value, and one more step would', () => {
    holds([grids, positive, positive], (grid, value, price) => {
      const size = lotsWorth(grid, value, price) ?? '0';
      const step = grid.sizeDecimals === 0 ? '1' : `0.${'0'.repeat(grid.sizeDecimals - 1)}1`;

      expect(compare(times(size, price), value)).to.be.at.most(0);
      expect(compare(times(plus(size, step), price), value)).to.equal(1);
      if (size !== '0') expect(isOnLot(grid, size)).to.equal(true);
    });
  });
});

describe('the amounts of an order', () => {
  for (const [why, requested, fault] of [
    ['are fine', { price: '100', size: '0.1' }, null],
    ['have no price', { price: '0', size: '0.1' }, 'invalid_price'],
    ['have no size', { price: '100', size: '0' }, 'invalid_size'],
    ['are off the price steps', { price: '100.123', size: '0.1' }, 'tick_size'],
    ['are off the size steps', { price: '100', size: '0.123' }, 'lot_size'],
    ['are worth too little', { price: '99.99', size: '0.1' }, 'below_minimum'],
    ['may be worth little to close a position', { price: '99.99', size: '0.1', closesPosition: true }, null],
  ] as const) {
    it(why, () => {
      expect(faultOf(perp(2), requested)).to.equal(fault);
    });
  }

  it('are accepted from 10 USD on', () => {
    expect([reachesMinimum(perp(2), '0.1', '100'), reachesMinimum(perp(2), '0.09', '111.1')]).to.deep.equal([
      true,
      false,
    ]);
  });
});
