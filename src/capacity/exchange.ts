import type { Bucket } from '../kernel/shared-upstream.ts';
import { budgets, type CapacityClass } from './budgets.ts';

/** Order of service when the budget is short: exits (cancels, closes, protection) with their reads, then entries with theirs, then reads. */
export type Priority = Exclude<CapacityClass, 'look_up'>;

/** The part of a minute's weight that may be spent at once. The rest is refilled steadily. */
const BURST_PART = 0.3;
/** A minute, and what requests may differ in the time between being granted and arriving. */
const WINDOW_S = 62;

/** What may be spent at the exchange in a minute; without a setting, what its documentation says. */
export const exchangeWeight = (perMinute?: number): number =>
  budgets.exchange.size({ EXVENUE_BUDGET_PER_MINUTE: perMinute });

/** The bucket that keeps the exchange's limit per minute. */
export const bucketOf = (perMinute?: number): Bucket => {
  const weight = exchangeWeight(perMinute);
  const burst = weight * BURST_PART;
  return { burst, perSecond: (weight - burst) / WINDOW_S };
};

/**
 * What remains of a minute's weight for more urgent calls of any process. An exit and its reads are covered (61 for a
 * cancellation with one builder dex), whatever else is waiting.
 */
export function keptBefore(priority: Priority, perMinute?: number): number {
  const { kept } = budgets.exchange;
  const settings = { EXVENUE_BUDGET_PER_MINUTE: perMinute };
  if (priority === 'exit') return 0;
  return kept.exit(settings) + (priority === 'read' ? kept.entry(settings) : 0);
}
