import type { Processor } from '../../adapters/processor/types.ts';
import { eachDue } from '../../db/polling.ts';
import type { Db } from '../../db/pool.ts';
import { readingTime } from '../../kernel/work.ts';
import { applyVerification, openSessions } from './store.ts';

const MOST = 50; // reads per run; the processor notifies of nearly every change

/** What the sweep of verifications needs. */
export type SweepDeps = { db: Db; processor: Processor; config: { PAYMENT_RECONCILE_MS: number } };

/** Reads open verification sessions at the processor and applies their state. */
export async function sweepSessions({ db, processor, config }: SweepDeps): Promise<void> {
  const pace = { everyS: config.PAYMENT_RECONCILE_MS / 1000, most: MOST };
  await eachDue(db, openSessions, pace, async ({ session_id }) => {
    const readAt = readingTime();
    const reading = await processor.findVerification(session_id);
    if (reading.kind !== 'found') return;
    await db.transaction((tx) => applyVerification(tx, reading.data, readAt, 'reading'));
  });
}
