import { anyOf, type Fields, fieldsOf, numberOf } from './fields.ts';
import type { Drawdown, Money } from './types.ts';

/**
 * The drawdown section, in percent. The venue writes drawdowns in percentage points and their limits as fractions; builds
 * that mix it up are told by the equities beside them. Venue facts: validator REST API, v2 dashboard.
 */
export const readDrawdown = (value: unknown): Drawdown | null => {
  const section = fieldsOf(value);
  if (!section) return null;
  const equity = numberOf(section.current_equity);
  const opened = fall(equity, numberOf(section.daily_open_equity));
  const ended = fall(numberOf(section.last_eod_equity), numberOf(section.eod_hwm));
  return {
    intraday: inPoints(numberOf(section.intraday_drawdown_pct), opened),
    intradayLimit: limitOf(section, 'intraday'),
    endOfDay: inPoints(numberOf(section.eod_drawdown_pct), ended),
    endOfDayLimit: limitOf(section, 'eod'),
    equity,
  };
};

/** The account_size_data section; amounts in USD. */
export const readMoney = (value: unknown): Money | null => {
  const section = fieldsOf(value);
  return (
    section && {
      realizedPnl: numberOf(section.total_realized_pnl),
      capitalUsed: numberOf(section.capital_used),
      balance: numberOf(section.balance),
      buyingPower: numberOf(section.buying_power),
    }
  );
};

/** By how many percent a value lies below another one: intraday from the day's open, end-of-day from its highest close. */
const fall = (value: number | null, from: number | null): number | null =>
  value === null || !from ? null : (1 - value / from) * 100;

/** A drawdown as it was written, unless the equities show that it is a fraction; without it what they show. */
const inPoints = (written: number | null, shown: number | null): number | null => {
  if (written === null || shown === null) return written ?? shown;
  const isFraction = Math.abs(written * 100 - shown) < Math.abs(written - shown);
  return isFraction ? written * 100 : written;
};

/** Limits are fractions of a few hundredths; one above 1 can only be in percent already. */
const limitOf = (section: Fields, kind: 'intraday' | 'eod'): number | null => {
  const legacy = `subaccount_challenge_${kind}_drawdown_threshold`; // older builds have this name only
  const limit = numberOf(anyOf(section, `${kind}_drawdown_threshold`, legacy));
  return limit !== null && limit <= 1 ? limit * 100 : limit;
};
