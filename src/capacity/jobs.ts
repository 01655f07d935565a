/** How many of a runner's jobs one upstream may hold while it does not respond. Venues have limits of their own (`jobsOfVenues`). */
export const jobsOfOneUpstream = (jobs: number): number => Math.ceil(jobs / 4);

/**
 * How many of a runner's jobs the verbs of a venue may hold while it does not respond. `actions` and `reads` at the exchange apply to exits and to
 * entries separately; verbs that wait for the exchange's budget count as reads. `miners`: jobs that wait for all miners together, never fewer than
 * one miner usually works on; the slots limit those of a single miner.
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
