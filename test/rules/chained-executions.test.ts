import { expect } from 'chai';
import fc from 'fast-check';
import type { Fill } from '../../src/venues/exchange/adapter/types.ts';
import { chained } from '../../src/venues/exchange/chain.ts';

/** Executions of one millisecond that sell a position in tenths, whose positions are computed with doubles, as at the exchange. */
function soldOff(tenths: number[]): Fill[] {
  let position = tenths.reduce((sum, size) => sum + size, 0) / 10;
  return tenths.map((size, tradeId) => {
    const fill = { tradeId, side: 'sell', size: String(size / 10), startPosition: String(position), timeMs: 1 } as Fill; // as: what a chain needs
    position -= size / 10;
    return fill;
  });
}

describe('executions of one millisecond', () => {
  it('are chained by their positions also where those before them are missing', () => {
    const [earlier, ...sold] = [
      { tradeId: 0, side: 'buy', size: '1', startPosition: '0', timeMs: 0 } as Fill, // as: what a chain needs
      ...soldOff([10, 20, 30]),
    ];

    expect(chained([earlier, ...sold.toReversed()])).to.deep.equal([earlier, ...sold]);
  });

  it('are chained by their positions, whose residue of doubles is no gap, in whatever order they are listed', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 2, maxLength: 6 });
    const listed = sizes
      .map(soldOff)
      .chain((fills) =>
        fc.tuple(fc.constant(fills), fc.shuffledSubarray(fills, { minLength: fills.length, maxLength: fills.length })),
      );

    fc.assert(
      fc.property(listed, ([fills, shuffled]) => {
        expect(chained(shuffled).map(({ tradeId }) => tradeId)).to.deep.equal(fills.map(({ tradeId }) => tradeId));
      }),
    );
  });
});
