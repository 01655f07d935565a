import type { Netvenue, Signal, SignalAccepted } from '../../src/adapters/netvenue/types.ts';
import type { Db } from '../../src/db/pool.ts';
import { type Finding, lookUp } from '../../src/intents/carry-out.ts';
import type { Intent } from '../../src/intents/intent.ts';
import type { Task } from '../../src/intents/task.ts';
import { type Answer, inDoubt } from '../../src/kernel/answer.ts';
import { findCancelled, findClosed, findEdited, findPlaced } from '../../src/orders/lookups.ts';
import * as record from '../../src/orders/outcomes.ts';
import type { Terms } from '../../src/orders/rules.ts';

/** What the order tasks commit before they send; members beside the signal belong to single kinds. */
type Sent = { signal: Signal; target: string; before: Terms; terms: Terms; bracket: string; position_uuid: string };
type About = { venue: Netvenue; trader: string };
/** A bracket is sent as FLAT and shown as the side it trades: that alone says nothing. */
const ANY_BRACKET = { order_type: 'FLAT' } as const;

type Kind = {
  look(about: About, sent: Sent): Promise<Finding<SignalAccepted>>;
  record(db: Db, intent: Intent, sent: Sent, answer: Answer<SignalAccepted>): Promise<boolean>;
};

const kinds: Record<string, Kind> = {
  'orders/place': {
    look: (about, { signal }) => findPlaced(about, signal.order_uuid),
    record: (db, intent, _sent, answer) => record.recordPlacement(db, intent, answer),
  },
  'orders/cancel': {
    look: (about, { signal }) => findCancelled(about, signal.order_uuid),
    record: (db, intent, { target }, answer) => record.recordCancellation(db, intent, target, answer),
  },
  'orders/edit': {
    look: (about, { signal, before }) => findEdited(about, signal, before),
    record: record.recordEdit,
  },
  'orders/close': {
    look: (about, sent) => findClosed(about, sent.position_uuid),
    record: (db, intent, _sent, answer) => record.recordClose(db, intent, answer),
  },
  'orders/protect': {
    look: (about, { signal }) =>
      signal.execution_type === 'BRACKET'
        ? findPlaced(about, signal.order_uuid)
        : findEdited(about, signal, ANY_BRACKET),
    record: record.recordProtection,
  },
};

/** Looks up one order verb in doubt and settles it on proof only. */
const reconcile: Task = ({ intent_id }, runtime) =>
  lookUp<Sent, SignalAccepted>(
    runtime,
    intent_id,
    async (intent, sent) => {
      const trader = String(intent.asked.trader);
      const venue = await runtime.venues.ofTrader(trader);
      return venue ? kindOf(intent).look({ venue, trader }, sent) : inDoubt('no key for the entity');
    },
    (intent, sent, answer) => kindOf(intent).record(runtime.db, intent, sent, answer),
  );

export default reconcile;

function kindOf({ kind }: Intent): Kind {
  const known = kinds[kind];
  if (!known) throw new Error(`No look-up for ${kind}`);
  return known;
}
