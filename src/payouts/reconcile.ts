import type { Processor } from '../adapters/processor/types.ts';
import type { Db } from '../db/pool.ts';
import { applyAccount, applyPayout, takeOpenPayouts, takeUnfinishedAccounts } from './store.ts';

const MOST = 50; // reads per run; the processor notifies of nearly every change

/** What the reconciliation of payouts needs. */
export type ReconcileDeps = { db: Db; processor: Processor; config: { PAYMENT_RECONCILE_MS: number } };

/** Reads payouts in progress and accounts that cannot receive payouts yet, and applies their state at the processor. */
export async function reconcilePayouts({ db, processor, config }: ReconcileDeps): Promise<void> {
  const pace = { everyS: config.PAYMENT_RECONCILE_MS / 1000, most: MOST };
  for (const { processor_payout_id, processor_account_id } of await takeOpenPayouts(db, pace)) {
    const payout = await processor.findPayout(processor_payout_id, processor_account_id);
    if (payout.kind === 'found') await applyPayout(db, { ...payout.data, accountId: processor_account_id });
  }
  for (const { processor_account_id } of await takeUnfinishedAccounts(db, pace)) {
    const readAt = Date.now();
    const account = await processor.findAccount(processor_account_id);
    if (account.kind === 'found') await applyAccount(db, account.data, readAt);
  }
}
