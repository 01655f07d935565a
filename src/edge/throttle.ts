import type { Context } from 'koa';
import type { Operation } from '../contract/document.ts';
import { ApiError } from '../kernel/errors.ts';
import type { OwnerId } from '../kernel/ids.ts';
import { type Budget, type BudgetState, budgetOf, rateLimitHeaders } from '../kernel/throttles.ts';
import type { Caller } from './address.ts';
import type { EdgeDeps } from './deps.ts';

/** Counts one attempt of a request against budgets, and sets the `RateLimit` headers of the response to their state. */
export type Spend = (...budgets: Budget[]) => Promise<void>;

/**
 * Makes the counter of one request. It throws V2_THROTTLED if a budget is exceeded, with the time until the last of the
 * exceeded windows ends as `Retry-After`.
 */
export function newSpend(ctx: Context, { throttle }: Pick<EdgeDeps, 'throttle'>): Spend {
  const states: BudgetState[] = [];
  return async (...budgets) => {
    states.push(...(await throttle.spend(budgets)));
    ctx.set(rateLimitHeaders(states));
    const overspent = states.filter(({ remaining }) => remaining < 0);
    if (overspent.length === 0) return;
    throw new ApiError('V2_THROTTLED', { retryAfterS: Math.max(1, ...overspent.map(({ ends_in_s }) => ends_in_s)) });
  };
}

/**
 * Counts a call of a throttled operation against the budget of its network, and a call of an app against that of the
 * app: the addresses of end users that it names are not verified.
 */
export const spendAddress = ({ id }: Operation, from: Caller, owner: OwnerId, spend: Spend): Promise<void> =>
  spend(
    ...(from.isShared ? [] : [budgetOf('address', id, owner, from.network)]),
    ...(from.isApps ? [budgetOf('server', id, owner)] : []),
  );
