import { carryOut } from '../../src/intents/carry-out.ts';
import type { Intent } from '../../src/intents/intent.ts';
import type { Task } from '../../src/intents/task.ts';
import type { EditAsked } from '../../src/orders/intents.ts';
import { recordEdit } from '../../src/orders/outcomes.ts';
import { getTarget } from '../../src/orders/queries.ts';
import { editedTerms, isOver, unfit } from '../../src/orders/rules.ts';
import { editing } from '../../src/orders/signals.ts';
import { submit } from '../../src/orders/submit.ts';
import type { WorkerRuntime } from '../../src/runtime.ts';
import { stillTrades } from '../../src/trading/queries.ts';

/** Merges an edit into the order as it stands now, sends the whole order, and records what the venue said. */
const edit: Task = ({ intent_id }, runtime) =>
  carryOut(runtime, intent_id, {
    prepare: (intent) => prepare(intent, runtime),
    send: ({ signal }, limits, intent) => submit(runtime, intent, signal, limits),
    record: (intent, { target, terms }, answer) => recordEdit(runtime.db, intent, { target, terms }, answer),
  });

export default edit;

async function prepare(intent: Intent, { db }: WorkerRuntime) {
  const { target, changes, subaccount_id } = intent.asked as EditAsked;
  const order = await getTarget(db, target);
  if (isOver(order)) return { problem: { code: 'V1_ORDER_NOT_RESTING' } };
  const terms = editedTerms(order.terms, changes);
  const fault = unfit(terms);
  if (fault) return { problem: { code: 'V1_EDIT_UNFIT', message: fault } };
  if (!(await stillTrades(db, intent.asked))) return { problem: { code: 'V2_ACCOUNT_NOT_TRADEABLE' } };
  return { send: { signal: editing(order.handle, subaccount_id, terms), target, before: order.terms, terms } };
}
