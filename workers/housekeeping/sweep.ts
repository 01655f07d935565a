import { type SweepDeps, sweepJobs } from '../../src/intents/sweep.ts';
import type { Task } from '../../src/intents/task.ts';

const sweep: Task<unknown, SweepDeps> = (_payload, deps) => sweepJobs(deps);

export default sweep;
