/**
 * How many of the jobs of a runner one upstream may hold while it does not respond, other than those of orders: what concerns other
 * upstreams needs them, too.
 */
export const jobsOfOneUpstream = (jobs: number): number => Math.ceil(jobs / 4);
