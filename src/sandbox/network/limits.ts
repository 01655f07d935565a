import { CLASS_MULTIPLES, isFunded, portfolioMultiple } from './money.ts';
import { isOpenTo, type Pair } from './pairs.ts';
import { type Account, balanceOf } from './world.ts';

/** Response with the caps of a subaccount. See venues/network-validator.md#limits-of-a-subaccount. */
export const limitsView = (account: Account, pairs: Iterable<Pair>) => ({
  status: 'success',
  is_pro: false,
  tier_curve: 'standard',
  tier: 1,
  account_size: account.size,
  portfolio_multiplier: portfolioMultiple(account),
  max_portfolio_usd: portfolioMultiple(account) * balanceOf(account),
  max_asset_class_usd: classCaps(account),
  positional_leverage: Object.fromEntries(
    [...pairs]
      .filter((pair) => pair.state === 'allowed' && isOpenTo(pair, account.assetClass))
      .map(({ id, maxLeverage }) => [id, maxLeverage]),
  ),
  entity_collateral: { headroom_theta: null, headroom_usd: null },
});

/** Response with the caps of a linked wallet: one figure for all pairs. See venues/network-validator.md#limits-of-a-subaccount. */
export const walletLimitsView = (account: Account) => ({
  status: 'success',
  hl_address: account.exAddress,
  account_size: account.size,
  max_position_per_pair_usd: account.size * (isFunded(account) ? 1 : 0.5),
  max_portfolio_usd: account.size * portfolioMultiple(account),
  in_challenge_period: !isFunded(account),
  timestamp: Date.now(),
});

const classCaps = (account: Account) => {
  const classes = Object.entries(CLASS_MULTIPLES).filter(
    ([name]) => account.assetClass === 'all_markets' || account.assetClass === 'hl_all' || account.assetClass === name,
  );
  return Object.fromEntries(classes.map(([name, multiple]) => [name, multiple * balanceOf(account)]));
};
