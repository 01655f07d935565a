import type { Task } from '../../src/intents/task.ts';
import { whereProcessor } from '../../src/payments/processor.ts';
import { type ReconcileDeps, reconcilePayouts } from '../../src/payouts/reconcile.ts';

const reconcile: Task<unknown, ReconcileDeps> = (_payload, deps) => reconcilePayouts(deps);

export default whereProcessor(reconcile);
