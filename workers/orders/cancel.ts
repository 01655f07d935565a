import { carryOut } from '../../src/intents/carry-out.ts';
import type { Intent } from '../../src/intents/intent.ts';
import type { Task } from '../../src/intents/task.ts';
import { recordCancellation } from '../../src/orders/outcomes.ts';
import { getTarget } from '../../src/orders/queries.ts';
import { isOver } from '../../src/orders/rules.ts';
import { cancelling } from '../../src/orders/signals.ts';
import { submit } from '../../src/orders/submit.ts';
import type { WorkerRuntime } from '../../src/runtime.ts';

/** Asks the venue to cancel a resting order and records what it said. */
const cancel: Task = ({ intent_id }, runtime) =>
  carryOut(runtime, intent_id, {
    prepare: (intent) => prepare(intent, runtime),
    send: ({ signal }, limits, intent) => submit(runtime, intent, signal, limits),
    record: (intent, { target }, answer) => recordCancellation(runtime.db, intent, target, answer),
  });

export default cancel;

async function prepare(intent: Intent, { db }: WorkerRuntime) {
  const { target, subaccount_id } = intent.asked as { target: string; subaccount_id: number };
  const order = await getTarget(db, target);
  if (isOver(order)) return { problem: { code: 'V1_ORDER_NOT_RESTING' } };
  return { send: { signal: cancelling(order.handle, subaccount_id, order.terms.trade_pair), target } };
}
