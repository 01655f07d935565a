import type { Task } from '../../src/intents/task.ts';
import { type ReconcileDeps, reconcileSessions } from '../../src/kyc/reconcile.ts';
import { whereProcessor } from '../../src/payments/processor.ts';

const reconcile: Task<unknown, ReconcileDeps> = (_payload, deps) => reconcileSessions(deps);

export default whereProcessor(reconcile);
