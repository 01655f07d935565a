import type { Task } from '../../src/intents/task.ts';
import { whereProcessor } from '../../src/payments/processor.ts';
import { type ReconcileDeps, reconcilePayments } from '../../src/payments/reconcile.ts';

const reconcile: Task<unknown, ReconcileDeps> = (_payload, deps) => reconcilePayments(deps);

export default whereProcessor(reconcile);
