import type { Logger } from 'pino';
import type { Processor } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import { openSweep, takePage } from './commands.ts';
import { queueReadings } from './store.ts';

const OVERLAP_MS = 10 * 60 * 1000; // events may be listed later than their timestamp
const FIRST_SPAN_MS = 24 * 60 * 60 * 1000;
const RUN_MS = 50_000; // the next run goes on from the last page

/** What the sweep of payments needs. */
export type SweepDeps = {
  db: Db;
  processor: Processor;
  config: { PAYMENT_RECONCILE_MS: number };
  log: Pick<Logger, 'warn' | 'error'>;
  stopping: AbortSignal;
};

/** Finds what notifications missed: queues reads of open payments, and takes events that were not delivered. */
export async function sweepPayments(deps: SweepDeps): Promise<void> {
  await queueReadings(deps.db, deps.config.PAYMENT_RECONCILE_MS / 1000);
  const missed = await readMissedEvents(deps);
  if (missed > 0) deps.log.warn({ missed }, 'found events missed by notifications');
}

/**
 * Reads the processor's list of events from the newest back to the last sweep. Each page is stored together with the
 * position behind it: a sweep that ends early, for whatever reason, is continued by the next run, and followed by one
 * over the events since. Returns the number of new events that are to be applied.
 */
async function readMissedEvents(deps: SweepDeps): Promise<number> {
  const until = performance.now() + RUN_MS;
  let missed = 0;
  for (let wasBegun = true; wasBegun; ) {
    const sweep = await openSweep(deps.db, { firstMs: FIRST_SPAN_MS, overlapMs: OVERLAP_MS });
    wasBegun = sweep.after_event !== null;
    let after = sweep.after_event;
    do {
      if (deps.stopping.aborted || performance.now() > until) return missed;
      const listed = await deps.processor.listEvents(sweep.since_ms, after);
      if (listed.kind === 'unreadable') return missed;
      const page = listed.kind === 'found' ? listed.data : { events: [], next: null }; // absent: `after` is no longer listed
      const taken = await takePage(deps.db, sweep.sweep, page);
      missed += taken.length;
      after = page.next;
    } while (after !== null);
  }
  return missed;
}
