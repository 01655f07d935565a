import { type Account, balanceOf, equityOf, worthOf } from './world.ts';

/** The account_size_data section of the dashboard. See venues/network-validator.md#dashboard. */
export const moneyView = (account: Account) => {
  const used = [...account.open.values()].reduce(
    (sum, { pair, quantity }) => sum + Math.abs(worthOf(pair, quantity)),
    0,
  );
  const balance = balanceOf(account);
  return {
    account_size: account.size,
    total_realized_pnl: account.realized,
    capital_used: used,
    balance,
    buying_power: balance * portfolioMultiple(account) - used,
  };
};

/** Drawdowns in percentage points and thresholds as fractions, mixed as the venue does. See venues/network-validator.md#dashboard. */
export const drawdownView = (account: Account) => {
  const { dayOpen, last, highest } = account.closes;
  const equity = equityOf(account);
  return {
    current_equity: equity,
    current_balance: balanceOf(account) / account.size,
    daily_open_equity: dayOpen,
    eod_hwm: highest,
    last_eod_equity: last,
    intraday_drawdown_pct: (1 - equity / dayOpen) * 100,
    eod_drawdown_pct: (1 - last / highest) * 100,
    intraday_drawdown_threshold: 0.05,
    eod_drawdown_threshold: isFunded(account) ? 0.08 : 0.05,
  };
};

/** Whether an account has passed its challenge. See venues/network-validator.md#buckets. */
export const isFunded = ({ bucket }: Pick<Account, 'bucket'>): boolean =>
  bucket.includes('FUNDED') || bucket.includes('ALPHA');

/** Caps of tier 1 as multiples of the balance. See venues/network-validator.md#leverage-caps. */
export const CLASS_MULTIPLES: Record<string, number> = {
  crypto: 1.5,
  forex: 10,
  commodities: 1.5,
  indices: 3,
  equities: 1,
};

/**
 * The cap of a whole account as a multiple: by class; for linked accounts 4 in the challenge, 7 when funded; 15 for all
 * markets.
 */
export const portfolioMultiple = ({ assetClass, bucket }: Account): number => {
  if (assetClass === 'hl_all') return isFunded({ bucket }) ? 7 : 4;
  return assetClass === 'all_markets' ? 15 : (CLASS_MULTIPLES[assetClass] ?? 1);
};
