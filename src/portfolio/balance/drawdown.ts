import type { Dashboard, Drawdown } from '../../adapters/netvenue/types.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { accountTypeOf } from '../rules.ts';
import { known } from '../traders.ts';

/** Percent; what an account may fall before it is eliminated. Venue facts: passing and limits, present cohorts. */
const USUAL_LIMITS = {
  challenge: { intradayLimit: 5, endOfDayLimit: 5 },
  funded: { intradayLimit: 5, endOfDayLimit: 8 },
} as const;

/**
 * How far an account has fallen. The network shows nothing before its first evaluation, a minute or more after an account was
 * made: until then an account of today is counted from its size, and one that never traded has not fallen. Refuses else.
 */
export function drawdownOf(dashboard: Dashboard): Drawdown {
  const limits = USUAL_LIMITS[accountTypeOf(dashboard.bucket)];
  const shown = dashboard.drawdown ?? firstDay(dashboard);
  return {
    intraday: known(shown.intraday),
    endOfDay: known(shown.endOfDay),
    intradayLimit: shown.intradayLimit ?? limits.intradayLimit,
    endOfDayLimit: shown.endOfDayLimit ?? limits.endOfDayLimit,
    equity: shown.equity,
  };
}

/** Before the first midnight both baselines are the size of the account. Venue facts: v2 dashboard, drawdown. */
function firstDay(dashboard: Dashboard): Drawdown {
  if (!isUntouched(dashboard) && !isOfToday(dashboard)) throw new Refusal('VENUE_UNREADABLE');
  const equity = equityOf(dashboard);
  return { intraday: (1 - equity) * 100, endOfDay: 0, intradayLimit: null, endOfDayLimit: null, equity };
}

/** What an account is worth with its open positions, as a part of its size. */
function equityOf({ positions, money, accountSize }: Dashboard): number {
  const open = positions.filter(({ closeMs }) => closeMs === null);
  const unrealized = open.reduce((sum, { unrealizedPnl }) => sum + known(unrealizedPnl), 0);
  return (known(money?.balance) + unrealized) / known(accountSize);
}

const isUntouched = ({ money, positions, accountSize }: Dashboard): boolean =>
  positions.length === 0 && money?.realizedPnl === 0 && money.balance === accountSize;

const DAY_MS = 86_400_000;
/** Made after the last midnight UTC, by the validator's own clock. */
const isOfToday = ({ createdMs, atMs }: Dashboard): boolean =>
  createdMs !== null && createdMs >= Math.floor((atMs ?? Date.now()) / DAY_MS) * DAY_MS;
