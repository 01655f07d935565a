import type { Action } from '../../../src/adapters/exvenue/types.ts';
import { carryOut, type Ready } from '../../../src/intents/carry-out.ts';
import type { Intent, Problem } from '../../../src/intents/intent.ts';
import type { Task } from '../../../src/intents/task.ts';
import { type CancelTarget, cancelResult, findNamed, listOpen } from '../../../src/orders/exvenue/cancels.ts';
import type { CancelAsked } from '../../../src/orders/exvenue/intents.ts';
import { recordCancels } from '../../../src/orders/exvenue/outcomes.ts';
import { exchangeCarrier, postAll } from '../../../src/orders/exvenue/posting.ts';
import { listDexesTraded } from '../../../src/orders/exvenue/queries.ts';
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
  const found = oids === 'all' ? await findAll(runtime, wallet) : await findNamed(runtime.exvenue, wallet, oids);
  if (!('targets' in found)) return found;
  const { targets } = found;
  const actions = await batches(runtime, targets);
  if ('notYet' in actions) return actions;
  const signed = await signWith(runtime, intent.owner, wallet, actions.actions);
  if ('problem' in signed || 'notYet' in signed) return signed;
  return { send: { ...signed, targets } };
}

async function findAll(
  { db, exvenue }: WorkerRuntime,
  wallet: string,
): Promise<{ targets: CancelTarget[] } | Ready<never>> {
  const open = await listOpen(exvenue, wallet, await listDexesTraded(db, wallet));
  if (open.kind !== 'found') return { notYet: { code: 'VENUE_UNREACHABLE' } };
  const targets = open.said.map(({ oid, coin }) => ({ oid, coin }));
  return targets.length > 0 ? { targets } : { done: cancelResult([], []) };
}

async function batches(
  { exvenue }: WorkerRuntime,
  targets: CancelTarget[],
): Promise<{ actions: Action[] } | { notYet: Problem }> {
  const items: { asset: number; oid: number }[] = [];
  for (const { coin, oid } of targets) {
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
