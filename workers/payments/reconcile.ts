import { whereProcessor } from '../../src/capabilities/payments/processor.ts';
import { type SweepDeps, sweepPayments } from '../../src/capabilities/payments/sweep.ts';
import type { Task } from '../../src/intents/task.ts';

const reconcile: Task<unknown, SweepDeps> = (_payload, deps) => sweepPayments(deps);

export default whereProcessor(reconcile);
