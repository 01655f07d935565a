import type { components } from '../../../contract/types.ts';
import { ofNumber, times } from '../../../kernel/decimals.ts';
import { displayPair } from '../../../kernel/exchange-names.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Asset } from '../adapter/types.ts';
import { type Holdings, leverageOf } from './holdings.ts';

type Schemas = components['schemas'];

const RATIO_PLACES = 8;

/** The account of a wallet that the network does not know: size 0, with the wallet's data from the exchange. */
export function exchangeAccount(
  wallet: WalletAddress,
  { accounts, balance, atMs }: Holdings,
  limits: Schemas['LeverageLimits'],
): Schemas['AccountInfo'] {
  return {
    venue: 'exvenue',
    status: 'active',
    account_type: 'challenge',
    funded_account_size: 0,
    ex_wallet_address: wallet,
    payout_wallet_address: null,
    asset_class: null,
    subaccount_id: null,
    subaccount_uuid: null,
    synthetic_hotkey: null,
    current_drawdown: '0',
    max_drawdown_limit: '0',
    eod_drawdown: '0',
    eod_drawdown_limit: '0',
    total_realized_pnl: '0',
    current_equity_ratio: '1',
    account_balance: balance,
    buying_power: null,
    current_leverage: leverageOf(accounts),
    max_portfolio_leverage: ofNumber(limits.account_level, RATIO_PLACES),
    leverage_limits: limits,
    ex_balance: balance,
    kyc_status: 'not_started',
    as_of: new Date(Math.min(atMs, epochMs())).toISOString(),
  };
}

/** The exchange limits only the leverage of each asset. */
export function exchangeLimits(assets: Asset[], balance: string): Schemas['LeverageLimits'] {
  const levels = assets
    .filter(({ isDelisted, maxLeverage }) => !isDelisted && maxLeverage !== null)
    .map(({ coin, maxLeverage }) => [displayPair(coin), Number(maxLeverage)] as const);
  const highest = Math.max(0, ...levels.map(([, multiple]) => multiple));
  const mostUsd = Number(times(String(highest), balance)); // exactly: a product of doubles may have a residue
  return {
    account_level: highest,
    position_level: Object.fromEntries(levels),
    max_position_per_pair_usd: mostUsd,
    max_portfolio_usd: mostUsd,
    pair_limit_ratio: highest,
    portfolio_limit_ratio: highest,
    max_asset_class_usd: null,
    tier: null,
  };
}

/** The rules of the exchange. */
export const exchangeRules = (): Schemas['Rule'][] => [
  {
    rule_id: 'order.minimum',
    category: 'exposure',
    description: 'An order is worth at least this many USD, unless it closes a position.',
    current_value: null,
    limit: '10',
    applies_to: null,
  },
];
