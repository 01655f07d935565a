import { whereProcessor } from '../../src/capabilities/payments/processor.ts';
import { type SweepDeps, sweepPayouts } from '../../src/capabilities/payouts/sweep.ts';
import type { Task } from '../../src/intents/task.ts';

const reconcile: Task<unknown, SweepDeps> = (_payload, deps) => sweepPayouts(deps);

export default whereProcessor(reconcile);
