import type { components } from '../../../contract/types.ts';
import { ofNumber } from '../../../kernel/decimals.ts';
import type { Hotkey, WalletAddress } from '../../../kernel/ids.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Dashboard, Money } from '../../../venues/network/adapter/types.ts';
import { accountStatusOf } from '../../../venues/reads.ts';
import { accountTypeOf } from '../rules.ts';
import { requireValue, type Trader } from '../traders.ts';
import { drawdownOf } from './drawdown.ts';
import { type Holdings, leverageOf } from './exchange.ts';

type Schemas = components['schemas'];
type AccountInfo = Schemas['AccountInfo'];

/** The account of a trader that the network knows. `exBalance` is null without a wallet, or if it cannot be read. */
export function networkAccount(
  trader: Trader,
  dashboard: Dashboard,
  limits: Schemas['LeverageLimits'],
  exBalance: string | null,
): AccountInfo {
  const size = requireValue(dashboard.accountSize);
  const money = requireValue(dashboard.money);
  const balance = requireValue(money.balance);
  return {
    venue: trader.venue,
    status: accountStatusOf(dashboard),
    account_type: accountTypeOf(dashboard.bucket),
    funded_account_size: size,
    ex_wallet_address: dashboard.exAddress ?? (trader.venue === 'exvenue' ? trader.wallet : null),
    payout_wallet_address: dashboard.payoutAddress,
    asset_class: dashboard.assetClass,
    subaccount_id: subaccountIdOf(dashboard.syntheticHotkey ?? (trader.venue === 'netvenue' ? trader.hotkey : '')),
    subaccount_uuid: dashboard.subaccountUuid,
    synthetic_hotkey: dashboard.syntheticHotkey,
    ...shownDrawdown(dashboard, size),
    total_realized_pnl: ofNumber(requireValue(money.realizedPnl), USD_PLACES),
    account_balance: ofNumber(balance, USD_PLACES),
    buying_power: money.buyingPower === null ? null : ofNumber(money.buyingPower, USD_PLACES),
    current_leverage: ofNumber(leverageNow(dashboard, money, balance), RATIO_PLACES),
    max_portfolio_leverage: ofNumber(limits.account_level, RATIO_PLACES),
    leverage_limits: limits,
    ex_balance: exBalance,
    kyc_status: kycStatusOf(dashboard.kycStatus),
    as_of: new Date(dashboard.atMs ?? epochMs()).toISOString(),
  };
}

/** The account of a wallet that the network does not know: size 0, with the wallet's data from the exchange. */
export function exchangeAccount(
  wallet: WalletAddress,
  { accounts, balance }: Holdings,
  limits: Schemas['LeverageLimits'],
): AccountInfo {
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
    as_of: new Date(Math.min(...accounts.map(({ atMs }) => atMs), epochMs())).toISOString(),
  };
}

const USD_PLACES = 6;
const RATIO_PLACES = 8;
const PERCENT_PLACES = 4;

function shownDrawdown(dashboard: Dashboard, size: number) {
  const { intraday, intradayLimit, endOfDay, endOfDayLimit, equity } = drawdownOf(dashboard);
  const percent = (value: number | null) => ofNumber(requireValue(value), PERCENT_PLACES);
  return {
    current_drawdown: percent(intraday),
    max_drawdown_limit: percent(intradayLimit),
    eod_drawdown: percent(endOfDay),
    eod_drawdown_limit: percent(endOfDayLimit),
    current_equity_ratio: ofNumber(equity ?? requireValue(dashboard.money?.balance) / size, RATIO_PLACES),
  };
}

/** Without the positions section of the dashboard, leverage is capital in use ÷ balance. */
function leverageNow({ totalLeverage }: Dashboard, { capitalUsed }: Money, balance: number): number {
  if (totalLeverage !== null) return totalLeverage;
  return balance === 0 ? 0 : requireValue(capitalUsed) / balance;
}

/** The number after the last underscore of a synthetic hotkey; null if there is none. */
function subaccountIdOf(hotkey: Hotkey): number | null {
  const id = /_(\d+)$/.exec(hotkey)?.[1];
  return id === undefined ? null : Number(id);
}

const KYC_STATUSES: Record<string, AccountInfo['kyc_status']> = {
  approved: 'verified',
  verified: 'verified',
  pending: 'pending',
  submitted: 'pending',
  in_progress: 'pending',
};

const kycStatusOf = (status: string | null) => KYC_STATUSES[status?.toLowerCase() ?? ''] ?? 'not_started';
