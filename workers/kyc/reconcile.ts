import { type SweepDeps, sweepSessions } from '../../src/capabilities/kyc/sweep.ts';
import { whereProcessor } from '../../src/capabilities/payments/processor.ts';
import type { Task } from '../../src/intents/task.ts';

const reconcile: Task<unknown, SweepDeps> = (_payload, deps) => sweepSessions(deps);

export default whereProcessor(reconcile);
