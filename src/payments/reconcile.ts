import type { Logger } from 'pino';
import type { Processor } from '../adapters/processor/types.ts';
import type { Db } from '../db/pool.ts';
import { takeEvents } from './commands.ts';
import { findCursor } from './queries.ts';
import { moveCursor, queueReadings, requeueOpenEvents } from './store.ts';

const OVERLAP_MS = 10 * 60 * 1000; // events may be listed later than their timestamp
const FIRST_SPAN_MS = 24 * 60 * 60 * 1000;
const MOST_PAGES = 200; // 20,000 events; the rest waits for the next run

/** What the reconciliation of payments needs. */
export type ReconcileDeps = {
  db: Db;
  processor: Processor;
  config: { PAYMENT_RECONCILE_MS: number };
  log: Pick<Logger, 'warn'>;
};

/**
 * Finds what notifications missed: stores events that were not delivered, requeues open events, and queues reads of
 * open payments.
 */
export async function reconcilePayments({ db, processor, config, log }: ReconcileDeps): Promise<void> {
  const missed = await readMissedEvents(db, processor);
  if (missed > 0) log.warn({ missed }, 'found events missed by notifications');
  await requeueOpenEvents(db);
  await queueReadings(db, config.PAYMENT_RECONCILE_MS / 1000);
}

/**
 * Stores listed events that are new. The cursor moves only if every page was read. Returns the number of new events.
 */
async function readMissedEvents(db: Db, processor: ReconcileDeps['processor']): Promise<number> {
  const startedAt = Date.now();
  const since = (await findCursor(db)) ?? startedAt - FIRST_SPAN_MS;
  let missed = 0;
  let after: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const listed = await processor.listEvents(since - OVERLAP_MS, after);
    if (listed.kind !== 'found') return missed;
    missed += await takeEvents(db, listed.data.events, 'listed');
    after = listed.data.next;
    if (after === null) {
      await moveCursor(db, startedAt);
      return missed;
    }
  }
  return missed;
}
