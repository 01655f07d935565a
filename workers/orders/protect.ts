import { carryOut } from '../../src/intents/carry-out.ts';
import type { Intent } from '../../src/intents/intent.ts';
import type { Task } from '../../src/intents/task.ts';
import type { ProtectAsked } from '../../src/orders/intents.ts';
import { recordProtection } from '../../src/orders/outcomes.ts';
import { heldQuantity, readHeld } from '../../src/orders/positions.ts';
import { findOrderByHandle } from '../../src/orders/queries.ts';
import { sizeOf } from '../../src/orders/rules.ts';
import { bracketTerms, protecting } from '../../src/orders/signals.ts';
import { submit } from '../../src/orders/submit.ts';
import type { WorkerRuntime } from '../../src/runtime.ts';

/** Adds or replaces the protection of a position and records what the venue said. */
const protect: Task = ({ intent_id }, runtime) =>
  carryOut(runtime, intent_id, {
    prepare: (intent) => prepare(intent, runtime),
    send: ({ signal }, limits, intent) => submit(runtime, intent, signal, limits),
    record: (intent, sent, answer) => recordProtection(runtime.db, intent, sent, answer),
  });

export default protect;

async function prepare(intent: Intent, { db, venues }: WorkerRuntime) {
  const { trader, protection, subaccount_id } = intent.asked as ProtectAsked;
  const held = await readHeld(venues.netvenue, trader, protection.trade_pair);
  if (held === 'unreadable') return { notYet: { code: 'VENUE_UNREACHABLE' } };
  if (held.position === null) return { problem: { code: 'V1_NO_POSITION' } };
  const replaced = sizeOf(protection) === undefined ? held.brackets : []; // protection of a part stands beside what is there
  const signal = protecting(intent.id, subaccount_id, protection, {
    brackets: replaced,
    held: heldQuantity(held.position),
  });
  const bracket = (await findOrderByHandle(db, trader, signal.order_uuid)) ?? intent.id;
  return { send: { signal, bracket, terms: bracketTerms(protection) } };
}
