import { expect } from 'chai';
import { found } from '../../src/kernel/upstream-result.ts';
import { gridOf } from '../../src/venues/exchange/adapter/amounts.ts';
import type { Asset } from '../../src/venues/exchange/adapter/types.ts';
import { exchangeLimits } from '../../src/venues/exchange/portfolio/account.ts';
import { readExchangeFacts } from '../../src/venues/exchange/portfolio/facts.ts';

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

  it('are not known of a coin whose maximum leverage cannot be read: it is not 1', async () => {
    const account = { dex: '', accountValue: '1000', marginUsed: '0', withdrawable: '1000', positions: [] };
    const reads = {
      exchangeAsset: async () => found({ ...asset, maxLeverage: null }),
      mids: async () => found({ BTC: '100000' }),
      accounts: async () => found([account]),
    };
    const deps = { reads, links: {}, linked: { facts: async () => null } } as never; // as: nothing else is read
    const trade = { pair: 'BTC', side: 'long', size: '0.001', sizeInUsd: false, price: null } as const;
    const code = (leverage: number) =>
      readExchangeFacts(deps, '0xa', { ...trade, leverage }).catch((error) => error.code);

    expect(await code(3)).to.equal('VENUE_UNREADABLE');
  });
});
