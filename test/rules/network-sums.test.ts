import { expect } from 'chai';
import { found } from '../../src/kernel/upstream-result.ts';
import type { DashboardOrder, Limits } from '../../src/venues/network/adapter/types.ts';
import { openQuantity } from '../../src/venues/network/orders/positions.ts';
import { findProven, type Records } from '../../src/venues/network/orders/venue-records.ts';
import { networkLimits } from '../../src/venues/network/portfolio/limits.ts';

const UUID = '550e8400-e29b-41d4-a716-446655440000';

const fill = (quantity: number, price: number, processedMs: number) =>
  ({
    uuid: UUID,
    executionType: 'MARKET',
    quantity,
    value: quantity,
    leverage: quantity,
    price,
    processedMs,
  }) as DashboardOrder; // as: what a sum needs

/** Amounts whose sums and quotients as doubles have a residue: 0.1 + 0.2 is 0.30000000000000004. */
describe('numbers of the network after arithmetic', () => {
  it('are decimals without a residue: the fills of one order', () => {
    const filled = [fill(0.1, 1.1, 1), fill(0.2, 1.1, 2)];
    const records: Records = {
      dashboard: { kind: 'unreadable', why: 'not needed' },
      book: found({ filled, unfilled: [], cancelled: [] }),
    };

    expect(findProven(records, UUID))
      .to.have.property('order')
      .that.includes({ quantity: 0.3, value: 0.3, leverage: 0.3, price: 1.1 });
  });

  it('are decimals without a residue: the size of a position that exits are enlarged to', () => {
    expect(openQuantity({ filledOrders: [fill(-0.1, 1, 1), fill(-0.2, 1, 2)] })).to.equal(0.3);
  });

  it('are decimals without a residue: limits in USD and as multiples', () => {
    const limits: Limits = {
      tier: 1,
      accountSize: 3_000,
      portfolioMultiple: null,
      portfolioUsd: 900,
      perPairUsd: null,
      classUsd: null,
      pairLeverage: { BTCUSDC: 1.1 },
    };

    expect(networkLimits(limits, [])).to.include({
      max_position_per_pair_usd: 3_300,
      account_level: 0.3,
      pair_limit_ratio: 1.1,
      portfolio_limit_ratio: 0.3,
    });
  });
});
