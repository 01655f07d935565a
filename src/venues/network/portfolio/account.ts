import type { components } from '../../../contract/types.ts';
import { typeOfBucket } from '../../../kernel/buckets.ts';
import { ofNumber } from '../../../kernel/decimals.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Hotkey, WalletAddress } from '../../../kernel/ids.ts';
import { epochMs } from '../../../kernel/work.ts';
import { requireValue } from '../../found.ts';
import { accountStatusOf } from '../../reads.ts';
import type { Dashboard, Money } from '../adapter/types.ts';
import { drawdownOf, stageOf } from './drawdown.ts';

type Schemas = components['schemas'];
type AccountInfo = Schemas['AccountInfo'];

/** The names under which an account is shown, where the network's own dashboard omits them. */
type ShownAs = { venue: Schemas['Venue']; hotkey: Hotkey | null; wallet: WalletAddress | null };

/** The account of a trader that the network knows. `exBalance` is null without a wallet, or if it cannot be read. */
export function networkAccount(
  { venue, hotkey, wallet }: ShownAs,
  dashboard: Dashboard,
  limits: Schemas['LeverageLimits'],
  exBalance: string | null,
): AccountInfo {
  const size = requireValue(dashboard.accountSize);
  const money = requireValue(dashboard.money);
  const balance = requireValue(money.balance);
  return {
    venue,
    status: accountStatusOf(dashboard),
    account_type: typeOf(dashboard),
    funded_account_size: size,
    ex_wallet_address: dashboard.exAddress ?? wallet,
    payout_wallet_address: dashboard.payoutAddress,
    asset_class: dashboard.assetClass,
    subaccount_id: subaccountIdOf(dashboard.syntheticHotkey ?? hotkey ?? ''),
    subaccount_uuid: dashboard.subaccountUuid,
    synthetic_hotkey: dashboard.syntheticHotkey,
    ...shownDrawdown(dashboard),
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

const USD_PLACES = 6;
const RATIO_PLACES = 8;
const PERCENT_PLACES = 4;

function shownDrawdown(dashboard: Dashboard) {
  const { intraday, intradayLimit, overall, overallLimit, equity } = drawdownOf(dashboard);
  const percent = (value: number | null) => ofNumber(requireValue(value), PERCENT_PLACES);
  return {
    current_drawdown: percent(intraday),
    max_drawdown_limit: percent(intradayLimit),
    eod_drawdown: percent(overall),
    eod_drawdown_limit: percent(overallLimit),
    current_equity_ratio: ofNumber(requireValue(equity), RATIO_PLACES),
  };
}

/** An eliminated account has no bucket; the reason of the elimination may show which one it had. */
function typeOf(dashboard: Dashboard): AccountInfo['account_type'] {
  if (accountStatusOf(dashboard) !== 'breached' || typeOfBucket(dashboard.bucket)) return stageOf(dashboard);
  return dashboard.elimination?.reason?.includes('FUNDED') ? 'funded' : 'challenge';
}

/**
 * Without the positions section of the dashboard, leverage is capital in use ÷ balance. Throws VENUE_UNREADABLE if capital is in use without a
 * balance: no multiple expresses that.
 */
function leverageNow({ totalLeverage }: Dashboard, { capitalUsed }: Money, balance: number): number {
  if (totalLeverage !== null) return totalLeverage;
  if (capitalUsed === 0) return 0;
  if (balance <= 0) throw new ApiError('VENUE_UNREADABLE');
  return requireValue(capitalUsed) / balance;
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
