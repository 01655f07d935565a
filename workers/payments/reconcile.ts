import type { NewPayment, PaymentSeen, Processor } from '../../src/adapters/processor/types.ts';
import type { Db } from '../../src/db/pool.ts';
import { lookUp } from '../../src/intents/carry-out.ts';
import type { Intent } from '../../src/intents/intent.ts';
import { askAgain } from '../../src/intents/keyed.ts';
import type { Task } from '../../src/intents/task.ts';
import type { Answer } from '../../src/kernel/answer.ts';
import { takeEvents } from '../../src/payments/intents.ts';
import {
  moveCursor,
  queueLooks,
  recordCheckout,
  recordRefund,
  requeueOpenEvents,
} from '../../src/payments/outcomes.ts';
import { findCursor } from '../../src/payments/queries.ts';
import { processorOf, type WorkerRuntime } from '../../src/runtime.ts';

const OVERLAP_MS = 10 * 60 * 1000; // events may appear in the list later than their own time says
const FIRST_SPAN_MS = 24 * 60 * 60 * 1000;
const MOST_PAGES = 200; // 20,000 events: what is older waits for the next run

/**
 * With an intent: looks up what came of it. Without, from the crontab: finds what the processor never told, in its list of events and
 * at the payments that are open.
 */
const reconcile: Task<{ intent_id?: string }> = async ({ intent_id }, runtime) => {
  if (intent_id !== undefined) return lookUpIntent(intent_id, runtime);
  if (!runtime.processor) return;
  const untold = await readUntold(runtime.db, runtime.processor);
  if (untold > 0) runtime.log.warn({ untold }, 'events the processor had not told us');
  await requeueOpenEvents(runtime.db);
  await queueLooks(runtime.db, runtime.config.PAYMENT_LOOK_MS / 1000);
};

export default reconcile;

/** The cursor moves only when everything since was read. Answers how many events were new. */
async function readUntold(db: Db, processor: Processor): Promise<number> {
  const startedAt = Date.now();
  const since = (await findCursor(db)) ?? startedAt - FIRST_SPAN_MS;
  let untold = 0;
  let after: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const listed = await processor.listEvents(since - OVERLAP_MS, after);
    if (listed.kind !== 'found') return untold;
    untold += await takeEvents(db, listed.said.events, 'listed');
    after = listed.said.next;
    if (after === null) {
      await moveCursor(db, startedAt);
      return untold;
    }
  }
  return untold;
}

/** What the intents of payments commit before they send; each kind has its own members. */
type Sent = { payment: NewPayment; paymentId: string; processorId: string };
type Said = PaymentSeen & { refundId: string; refundedCents: number };
type Kind = {
  again(processor: Processor, key: string, sent: Sent): Promise<Answer<Partial<Said>>>;
  record(runtime: WorkerRuntime, intent: Intent, sent: Sent, answer: Answer<Said>): Promise<boolean>;
};

const kinds: Record<string, Kind> = {
  'payments/checkout': {
    again: (processor, key, { payment }) => processor.createPayment(payment, key),
    record: (runtime, intent, { payment }, answer) => recordCheckout(runtime, intent, payment.paymentId, answer),
  },
  'payments/refund': {
    again: (processor, key, sent) => processor.refund(sent, key),
    record: ({ db }, intent, { processorId }, answer) => recordRefund(db, intent, processorId, answer),
  },
};

const lookUpIntent = (intentId: string, runtime: WorkerRuntime): Promise<void> =>
  lookUp<Sent, Said>(
    runtime,
    intentId,
    (intent, sent) =>
      askAgain(intent, async () => {
        const answer = await kindOf(intent).again(processorOf(runtime), intentId, sent);
        return answer as Answer<Said>; // as: each kind reads only the members its own request is answered with
      }),
    (intent, sent, answer) => kindOf(intent).record(runtime, intent, sent, answer),
  );

function kindOf({ kind }: Intent): Kind {
  const known = kinds[kind];
  if (!known) throw new Error(`No look-up for ${kind}`);
  return known;
}
