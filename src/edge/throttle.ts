import type { Context } from 'koa';
import type { Operation } from '../contract/document.ts';
import { Refusal } from '../kernel/refusals.ts';
import { type Budget, budgetOf, rateLimitHeaders, type Standing } from '../kernel/throttles.ts';
import type { WebRuntime } from '../runtime.ts';

/** Counts a request's tries against budgets, and keeps the answer's `RateLimit` headers at how all of them stand. */
export type Spend = (...budgets: Budget[]) => Promise<void>;

/**
 * Makes the counter of one request. A budget overspent refuses with V2_THROTTLED, to come again once the longest of the
 * overspent windows ends.
 */
export function spending(ctx: Context, runtime: WebRuntime): Spend {
  const standings: Standing[] = [];
  return async (...budgets) => {
    standings.push(...(await runtime.throttle.spend(budgets)));
    ctx.set(rateLimitHeaders(standings));
    const overspent = standings.filter(({ remaining }) => remaining < 0);
    if (overspent.length === 0) return;
    throw new Refusal('V2_THROTTLED', { retryAfterS: Math.max(1, ...overspent.map(({ ends_in_s }) => ends_in_s)) });
  };
}

/** Counts a call of an operation that the contract says is throttled against the caller's address. */
export async function spendAddress(operation: Operation, address: string, owner: string, spend: Spend): Promise<void> {
  if (operation.throttled) await spend(budgetOf('address', operation.id, owner, address));
}
