import { type SweepDeps, sweepTrading } from '../../src/capabilities/trading/watch/sweep.ts';
import type { Task } from '../../src/intents/task.ts';

const sweep: Task<unknown, SweepDeps> = (_payload, deps) => sweepTrading(deps);

export default sweep;
