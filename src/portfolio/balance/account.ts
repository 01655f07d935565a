import type { Dashboard, Money } from '../../adapters/netvenue/types.ts';
import type { components } from '../../contract/types.ts';
import { ofNumber } from '../../kernel/decimals.ts';
import { accountStatusOf, accountTypeOf } from '../rules.ts';
import { known, type Trader } from '../traders.ts';
import { drawdownOf } from './drawdown.ts';
import { type Holdings, leverageOf } from './exchange.ts';

type Schemas = components['schemas'];
type AccountInfo = Schemas['AccountInfo'];

/** The account of a trader the network knows. `exBalance` is null where there is no wallet, or it cannot be read. */
export function networkAccount(
  trader: Trader,
  dashboard: Dashboard,
  limits: Schemas['LeverageLimits'],
  exBalance: string | null,
): AccountInfo {
  const size = known(dashboard.accountSize);
  const money = known(dashboard.money);
  const balance = known(money.balance);
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
    total_realized_pnl: ofNumber(known(money.realizedPnl), CENTS_AND_MORE),
    account_balance: ofNumber(balance, CENTS_AND_MORE),
    buying_power: money.buyingPower === null ? null : ofNumber(money.buyingPower, CENTS_AND_MORE),
    current_leverage: ofNumber(leverageNow(dashboard, money, balance), RATIO_PLACES),
    max_portfolio_leverage: ofNumber(limits.account_level, RATIO_PLACES),
    leverage_limits: limits,
    ex_balance: exBalance,
    kyc_status: kycStatusOf(dashboard.kycStatus),
    as_of: new Date(dashboard.atMs ?? Date.now()).toISOString(),
  };
}

/** The account of a wallet the network does not know: one of size 0, with what the exchange says of the wallet itself. */
export function exchangeAccount(
  wallet: string,
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
    as_of: new Date(Math.min(...accounts.map(({ atMs }) => atMs), Date.now())).toISOString(),
  };
}

const CENTS_AND_MORE = 6;
const RATIO_PLACES = 8;
const PERCENT_PLACES = 4;

function shownDrawdown(dashboard: Dashboard, size: number) {
  const { intraday, intradayLimit, endOfDay, endOfDayLimit, equity } = drawdownOf(dashboard);
  const percent = (value: number | null) => ofNumber(known(value), PERCENT_PLACES);
  return {
    current_drawdown: percent(intraday),
    max_drawdown_limit: percent(intradayLimit),
    eod_drawdown: percent(endOfDay),
    eod_drawdown_limit: percent(endOfDayLimit),
    current_equity_ratio: ofNumber(equity ?? known(dashboard.money?.balance) / size, RATIO_PLACES),
  };
}

/** A dashboard without its section of positions says it with the capital in use. */
function leverageNow({ totalLeverage }: Dashboard, { capitalUsed }: Money, balance: number): number {
  if (totalLeverage !== null) return totalLeverage;
  return balance === 0 ? 0 : known(capitalUsed) / balance;
}

/** The number behind the last underscore of a synthetic hotkey. */
function subaccountIdOf(hotkey: string): number | null {
  const id = /_(\d+)$/.exec(hotkey)?.[1];
  return id === undefined ? null : Number(id);
}

const KYC_WORDS: Record<string, AccountInfo['kyc_status']> = {
  approved: 'verified',
  verified: 'verified',
  pending: 'pending',
  submitted: 'pending',
  in_progress: 'pending',
};

const kycStatusOf = (word: string | null) => KYC_WORDS[word?.toLowerCase() ?? ''] ?? 'not_started';
