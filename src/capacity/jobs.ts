/**
 * How many of the jobs of a runner one upstream may hold while it does not respond, other than those of orders: what concerns other
 * upstreams needs them, too.
 */
export const jobsOfOneUpstream = (jobs: number): number => Math.ceil(jobs / 4);

/**
 * How many of the jobs of a runner the verbs of a venue may hold while it does not respond. `actions` and `reads` at the exchange: those of exits
 * and those of entries, each; as many as reads wait for its budget. `miners`: those that wait for miners, of all entities together, and not fewer
 * than one miner usually takes: how many wait for one of them, its slots bound.
 */
export const jobsOfVenues = (jobs: number): VenueJobs => ({
  miners: { exits: atLeast(5, jobs / 4, jobs), entries: atLeast(10, jobs / 2, jobs) },
  exchange: { actions: Math.ceil(jobs / 5), reads: Math.ceil(jobs / 10) },
  validator: Math.ceil(jobs / 2),
});

const atLeast = (least: number, part: number, jobs: number): number => Math.min(jobs, Math.max(least, Math.ceil(part)));

type VenueJobs = {
  miners: { exits: number; entries: number };
  exchange: { actions: number; reads: number };
  validator: number;
};
