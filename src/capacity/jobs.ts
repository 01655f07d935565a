/**
 * How many of the jobs of a runner one upstream may hold while it does not respond, other than those of orders: what concerns other
 * upstreams needs them, too.
 */
export const jobsOfOneUpstream = (jobs: number): number => Math.ceil(jobs / 4);

/**
 * How many of the jobs of a runner the verbs of a venue may hold while it does not respond. `actions` and `reads` at the exchange: those of exits
 * and those of entries, each. Each miner's slots bound how many wait for it; `miners`: for all of them.
 */
export const jobsOfVenues = (jobs: number): VenueJobs => ({
  miners: { exits: Math.ceil(jobs / 4), entries: Math.ceil(jobs / 2) },
  exchange: { actions: Math.ceil(jobs / 5), reads: Math.ceil(jobs / 10) },
  validator: Math.ceil(jobs / 2),
});

type VenueJobs = {
  miners: { exits: number; entries: number };
  exchange: { actions: number; reads: number };
  validator: number;
};
