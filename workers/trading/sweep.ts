import type { Task } from '../../src/intents/task.ts';
import { type SweepDeps, sweepTrading } from '../../src/trading/watch/sweep.ts';

const sweep: Task<unknown, SweepDeps> = (_payload, deps) => sweepTrading(deps);

export default sweep;
