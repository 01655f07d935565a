import type { Logger } from 'pino';
import type { Processor } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import { epochMs } from '../../kernel/work.ts';
import { listStranded } from './queries.ts';
import { applyAccount, applyPayout } from './reports/store.ts';
import { payWaiting, takeOpenPayouts, takeUnfinishedAccounts } from './store.ts';

const MOST = 50; // reads per run; the processor notifies of nearly every change

/** What the sweep of payouts needs. */
export type SweepDeps = {
  db: Db;
  processor: Processor;
  config: { PAYMENT_RECONCILE_MS: number; ACCOUNT_DEADLINE_MS: number };
  log: Pick<Logger, 'error'>;
};

/**
 * Reads payouts in progress and accounts that cannot receive payouts yet, and applies their state at the processor. Pays
 * out what has become available at traders' accounts. Logs an alert for each payout whose money is stranded.
 */
export async function sweepPayouts({ db, processor, config, log }: SweepDeps): Promise<void> {
  const pace = { everyS: config.PAYMENT_RECONCILE_MS / 1000, most: MOST };
  for (const { processor_id, processor_account_id } of await takeOpenPayouts(db, pace)) {
    const payout = await processor.findPayout(processor_id, processor_account_id);
    if (payout.kind === 'found') await applyPayout(db, processor_account_id, payout.data);
  }
  for (const { processor_account_id } of await takeUnfinishedAccounts(db, pace)) {
    const readAt = epochMs();
    const account = await processor.findAccount(processor_account_id);
    if (account.kind === 'found') await applyAccount(db, account.data, readAt);
  }
  await payWaiting(db, MOST, config.ACCOUNT_DEADLINE_MS);
  for (const { payout_id, safe_action } of await listStranded(db))
    log.error({ alert: 'payout_stranded', payout_id, safe_action }, 'operator action required');
}
