import { typeOfBucket } from '../../../kernel/buckets.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { epochMs } from '../../../kernel/work.ts';
import { requireValue } from '../../found.ts';
import type { Dashboard, Drawdown } from '../adapter/types.ts';

/** The drawdowns, in percent, at which an account is eliminated. See venues/network-validator.md#passing. */
const USUAL_LIMITS = {
  'drawdown.intraday': 5,
  'drawdown.static': 5,
  'drawdown.eod': { challenge: 5, funded: 8 },
} as const;

/**
 * The drawdowns of an account, in percent. The network reports none before its first evaluation, which comes a minute
 * or more after the account was created. Until then they are computed from the account size, but only for an account
 * created today or one that never traded, of which all positions are known. Otherwise throws VENUE_UNREADABLE.
 */
export function drawdownOf(dashboard: Dashboard): Drawdown {
  const usual = USUAL_LIMITS[dashboard.overallRule];
  const shown = dashboard.drawdown ?? firstDay(dashboard);
  return {
    intraday: requireValue(shown.intraday),
    overall: requireValue(shown.overall),
    intradayLimit: shown.intradayLimit ?? USUAL_LIMITS['drawdown.intraday'],
    overallLimit: shown.overallLimit ?? (typeof usual === 'number' ? usual : usual[stageOf(dashboard)]),
    equity: shown.equity,
  };
}

/**
 * Whether an account is in its challenge or has passed it. An account that was never evaluated is in its challenge, also without a bucket. Throws
 * VENUE_UNREADABLE if the network does not show it.
 */
export const stageOf = ({ bucket, drawdown }: Dashboard): 'challenge' | 'funded' =>
  requireValue(typeOfBucket(bucket) ?? (drawdown === null ? 'challenge' : null));

/** Before the first midnight UTC, both baselines are the account size. See venues/network-validator.md#drawdown. */
function firstDay(dashboard: Dashboard): Drawdown {
  if (!showsPositions(dashboard) || !(isUntouched(dashboard) || isOfToday(dashboard)))
    throw new ApiError('VENUE_UNREADABLE');
  const equity = equityOf(dashboard);
  const intraday = (1 - equity) * 100;
  const overall = dashboard.overallRule === 'drawdown.static' ? intraday : 0;
  return { intraday, overall, intradayLimit: null, overallLimit: null, equity };
}

/** Whether all positions are known: a section that is missing may have failed inside the validator, unless no capital is in use. */
const showsPositions = ({ reported, money }: Dashboard): boolean => reported.positions || money?.capitalUsed === 0;

/** The value of an account with its open positions, as a fraction of its size. */
function equityOf({ positions, money, accountSize }: Dashboard): number {
  const open = positions.filter(({ closeMs }) => closeMs === null);
  const unrealized = open.reduce((sum, { unrealizedPnl }) => sum + requireValue(unrealizedPnl), 0);
  return (requireValue(money?.balance) + unrealized) / requireValue(accountSize);
}

const isUntouched = ({ money, positions, accountSize }: Dashboard): boolean =>
  positions.length === 0 && money?.realizedPnl === 0 && money.balance === accountSize;

const DAY_MS = 86_400_000;
/** Whether an account was created after the last midnight UTC, by the validator's clock. */
const isOfToday = ({ createdMs, atMs }: Dashboard): boolean =>
  createdMs !== null && createdMs >= Math.floor((atMs ?? epochMs()) / DAY_MS) * DAY_MS;
