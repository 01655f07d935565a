import type { Task } from '../../src/intents/task.ts';
import { whereProcessor } from '../../src/payments/processor.ts';
import { type SweepDeps, sweepPayouts } from '../../src/payouts/sweep.ts';

const reconcile: Task<unknown, SweepDeps> = (_payload, deps) => sweepPayouts(deps);

export default whereProcessor(reconcile);
