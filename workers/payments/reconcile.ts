import type { Task } from '../../src/intents/task.ts';
import { whereProcessor } from '../../src/payments/processor.ts';
import { type SweepDeps, sweepPayments } from '../../src/payments/sweep.ts';

const reconcile: Task<unknown, SweepDeps> = (_payload, deps) => sweepPayments(deps);

export default whereProcessor(reconcile);
