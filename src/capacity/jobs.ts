/**
 * How many jobs of a worker one upstream may hold while it does not respond, other than those of orders: orders at the others need them, too.
 */
export const jobsOfOneUpstream = ({ TRADING_CONCURRENCY: jobs }: { TRADING_CONCURRENCY: number }): number =>
  Math.ceil(jobs / 4);
