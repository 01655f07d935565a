import { expect } from 'chai';
import { gridOf } from '../../src/venues/exchange/adapter/amounts.ts';
import type { Asset } from '../../src/venues/exchange/adapter/types.ts';
import { exchangeLimits } from '../../src/venues/exchange/portfolio/account.ts';

const asset: Asset = {
  ...{ id: 0, coin: 'BTC', kind: 'perp', dex: '', base: 'BTC', quoteToken: null, token: 0, sizeDecimals: 5 },
  ...{ grid: gridOf('perp', 5), maxLeverage: 3, onlyIsolated: false, isDelisted: false },
};

describe('the limits of a wallet at the exchange', () => {
  /** 3 × 0.1 as doubles is 0.30000000000000004. */
  it('in USD are decimals without the residue of a product of doubles', () => {
    for (const [balance, most] of [
      ['0.1', 0.3],
      ['1000.07', 3000.21],
      ['0', 0],
    ] as const)
      expect(exchangeLimits([asset], balance)).to.include({ max_position_per_pair_usd: most, max_portfolio_usd: most });
  });
});
