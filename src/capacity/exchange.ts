import type { Bucket } from '../kernel/shared-upstream.ts';
import { budgets, type CapacityClass } from './budgets.ts';

/** Order of service when the budget is short: exits (cancels, closes, protection) with their reads, then entries with theirs, then reads. */
export type Priority = Exclude<CapacityClass, 'look_up'>;

/** The part of a minute's weight that may be spent at once. The rest is refilled steadily. */
const BURST_PART = 0.3;
/** A minute, and by how much the time from grant to arrival may differ between requests. */
const WINDOW_S = 62;

/** What may be spent at the exchange in a minute; without a setting, what its documentation says. */
export const exchangeWeight = (perMinute?: number): number =>
  budgets.exchange.size({ EXVENUE_BUDGET_PER_MINUTE: perMinute });

/** How much of the burst a tenant may have spent beyond its share before it leaves a part to the others. */
const ALLOWANCE_PART = 0.75;

/** The bucket that keeps the exchange's limit per minute. */
export const bucketOf = (perMinute?: number): Bucket => {
  const weight = exchangeWeight(perMinute);
  const burst = weight * BURST_PART;
  return { burst, perSecond: (weight - burst) / WINDOW_S, allowance: burst * ALLOWANCE_PART };
};

/**
 * What is kept of a minute's weight for more urgent calls of any process. An exit and its reads are covered (61 for a
 * cancellation with one builder dex), whatever else is waiting.
 */
export function keptBefore(priority: Priority, perMinute?: number): number {
  const { kept } = budgets.exchange;
  const settings = { EXVENUE_BUDGET_PER_MINUTE: perMinute };
  if (priority === 'exit') return 0;
  return kept.exit(settings) + (priority === 'read' ? kept.entry(settings) : 0);
}

/**
 * What a call leaves in addition to other tenants, once its tenant has spent more than its share; `allowance` is how much beyond it. Exits are counted
 * for themselves: a tenant that has spent much on exits leaves what entries of others need, one that has spent much on other calls has its exits.
 */
export function sparedBy(priority: Priority, perMinute?: number): { spare: number; allowance?: number } {
  const { kept, spared } = budgets.exchange;
  const settings = { EXVENUE_BUDGET_PER_MINUTE: perMinute };
  if (priority !== 'exit') return { spare: spared(settings) };
  return { spare: kept.exit(settings) + spared(settings), allowance: 2 * kept.exit(settings) };
}

/** How many users' events the exchange streams to one address of the caller. See venues/exchange.md#stream. */
export const MOST_FOLLOWED = 10;

/** The weight of a read: most cost `usual`, as a list of open orders does; one order and prices cost `light`. See venues/exchange.md#rate-limits. */
export const readWeights = { usual: 20, light: 2 } as const;

/** Whether so many orders cost no more to read one by one than by a list of the open ones. */
export const isCheaperOneByOne = (orders: number): boolean => orders * readWeights.light <= readWeights.usual;

const { exchange_comparisons: comparisons } = budgets;

/** The pace at which wanted exits are compared with what the exchange holds: fifteen seconds' worth at once. */
export const comparisonPace: Bucket = { burst: comparisons.size() / 4, perSecond: comparisons.size() / 60 };
