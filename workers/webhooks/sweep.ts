import { type SweepDeps, sweepLanes } from '../../src/capabilities/webhooks/sweep.ts';
import type { Task } from '../../src/intents/task.ts';

const sweep: Task<unknown, SweepDeps> = (_payload, deps) => sweepLanes(deps);

export default sweep;
