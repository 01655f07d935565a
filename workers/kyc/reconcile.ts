import type { Task } from '../../src/intents/task.ts';
import { type SweepDeps, sweepSessions } from '../../src/kyc/sweep.ts';
import { whereProcessor } from '../../src/payments/processor.ts';

const reconcile: Task<unknown, SweepDeps> = (_payload, deps) => sweepSessions(deps);

export default whereProcessor(reconcile);
