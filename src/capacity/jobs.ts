import type { CapacityClass } from './budgets.ts';

/**
 * How many of the jobs of a runner one upstream may hold while it does not respond, other than those of orders: what concerns other
 * upstreams needs them, too.
 */
export const jobsOfOneUpstream = (jobs: number): number => Math.ceil(jobs / 4);

/** What the jobs of a venue's verbs wait for: exits with their look-ups, entries, look-ups of entries. */
export type OrderJobClass = Exclude<CapacityClass, 'read'>;

/**
 * How the jobs of a runner are divided among the verbs of venues. `shared`: so many are for entries and look-ups of all venues together. `own`: so
 * many of each a venue may have nevertheless. `probing`: so many has a venue that is silent.
 */
export const orderJobShares = (
  jobs: number,
): { shared: number; own: number; probing: Record<OrderJobClass, number> } => ({
  shared: Math.ceil((3 * jobs) / 4),
  own: Math.ceil(jobs / 5),
  probing: { exit: Math.ceil(jobs / 5), entry: Math.ceil(jobs / 10), look_up: Math.ceil(jobs / 10) },
});
