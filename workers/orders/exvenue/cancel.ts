import type { Action, OrderView } from '../../../src/adapters/exvenue/types.ts';
import { carryOut } from '../../../src/intents/carry-out.ts';
import type { Intent, Problem } from '../../../src/intents/intent.ts';
import type { Task } from '../../../src/intents/task.ts';
import { cancelResult, goneBefore } from '../../../src/orders/exvenue/cancels.ts';
import type { CancelAsked } from '../../../src/orders/exvenue/intents.ts';
import { recordCancels } from '../../../src/orders/exvenue/outcomes.ts';
import { exchangeCarrier, postAll } from '../../../src/orders/exvenue/posting.ts';
import { signWith } from '../../../src/orders/exvenue/signing.ts';
import type { WorkerRuntime } from '../../../src/runtime.ts';

/** Cancels open orders of a wallet, in batches the exchange takes, and records what became of each. */
const cancel: Task = ({ intent_id }, runtime) =>
  carryOut(exchangeCarrier(runtime), intent_id, {
    prepare: (intent) => prepare(intent, runtime),
    send: (sent, limits) => postAll(runtime.exvenue, sent, limits),
    record: (intent, { targets }, answer) => recordCancels(runtime.db, intent, targets, answer),
  });

export default cancel;

async function prepare(intent: Intent, runtime: WorkerRuntime) {
  const { wallet, oids } = intent.asked as CancelAsked;
  const { exvenue } = runtime;
  const open = await exvenue.openOrders(wallet);
  if (open.kind === 'unreadable') return { notYet: { code: 'VENUE_UNREACHABLE' } };
  const orders = open.kind === 'found' ? open.said : [];
  const wanted = oids === 'all' ? orders : orders.filter(({ oid }) => oids.includes(oid));
  if (wanted.length === 0) {
    return oids === 'all' ? { done: cancelResult([], []) } : goneBefore(exvenue, wallet, oids);
  }
  const targets = wanted.map(({ oid, coin }) => ({ oid, coin }));
  const actions = await batches(runtime, wanted);
  if ('notYet' in actions) return actions;
  const signed = await signWith(runtime, intent.owner, wallet, actions.actions);
  if ('problem' in signed || 'notYet' in signed) return signed;
  return { send: { ...signed, targets } };
}

async function batches(
  { exvenue }: WorkerRuntime,
  orders: OrderView[],
): Promise<{ actions: Action[] } | { notYet: Problem }> {
  const items: { asset: number; oid: number }[] = [];
  for (const { coin, oid } of orders) {
    const asset = await exvenue.asset(coin); // known for minutes: one look serves them all
    if (asset.kind !== 'found') return { notYet: { code: 'VENUE_UNREACHABLE' } };
    items.push({ asset: asset.said.id, oid });
  }
  const actions: Action[] = [];
  for (let n = 0; n < items.length; n += exvenue.batchLimit) {
    actions.push({ kind: 'cancel', orders: items.slice(n, n + exvenue.batchLimit) });
  }
  return { actions };
}
