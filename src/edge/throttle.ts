import type { Context } from 'koa';
import type { Operation } from '../contract/document.ts';
import { Refusal } from '../kernel/refusals.ts';
import { type Budget, budgetOf, rateLimitHeaders, type Standing } from '../kernel/throttles.ts';
import type { WebRuntime } from '../runtime.ts';
import type { Caller } from './address.ts';

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

/** Whether strangers may call an operation: then tries are counted before any credential is looked at. */
export const isOpen = ({ security }: Operation): boolean =>
  security.length === 0 || security.some((set) => set.length === 0);

/** Counts a call of an operation that the contract says is throttled against the address it comes from. */
export async function spendAddress(operation: Operation, from: Caller, owner: string, spend: Spend): Promise<void> {
  if (operation.throttled)
    await spend(budgetOf(from.isShared ? 'server' : 'address', operation.id, owner, from.network));
}
