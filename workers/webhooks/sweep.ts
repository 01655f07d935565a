import type { Task } from '../../src/intents/task.ts';
import { type SweepDeps, sweepLanes } from '../../src/webhooks/sweep.ts';

const sweep: Task<unknown, SweepDeps> = (_payload, deps) => sweepLanes(deps);

export default sweep;
