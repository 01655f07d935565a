import type { Processor } from '../../src/adapters/processor/types.ts';
import type { Db } from '../../src/db/pool.ts';
import { lookUp } from '../../src/intents/carry-out.ts';
import { askAgain } from '../../src/intents/keyed.ts';
import type { Task } from '../../src/intents/task.ts';
import { takeEvents } from '../../src/payments/intents.ts';
import { moveCursor, queueLooks, recordCheckout, recordRefund, requeueOpenEvents } from '../../src/payments/outcomes.ts';
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

type Sent = { payment: Parameters<Processor['createPayment']>[0] } | Parameters<Processor['refund']>[0];

function lookUpIntent(intentId: string, runtime: WorkerRuntime): Promise<void> {
  const processor = processorOf(runtime);
  return lookUp<Sent, never>(
    runtime,
    intentId,
    (intent, sent) => askAgain(intent, () => again(processor, intentId, sent)) as never,
    (intent, sent, answer) =>
      'payment' in sent
        ? recordCheckout(runtime.db, intent, sent.payment.paymentId, answer)
        : recordRefund(runtime.db, intent, sent.processorId, answer),
  );
}
