import type { Logger } from 'pino';
import type { Processor } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import { epochMs } from '../../kernel/work.ts';
import { listStranded } from './queries.ts';
import { applyAccount, applyPayout } from './reports/store.ts';
import { payWaiting, takeAccounts, takeBankPayouts } from './store.ts';

const MOST = 50; // reads per run; the processor notifies of nearly every change
const PAID_AGAIN = { everyS: 6 * 60 * 60, most: MOST }; // its one notification of a return may be lost
const ACCOUNT_AGAIN = { everyS: 24 * 60 * 60, most: MOST };

/** What the sweep of payouts needs. */
export type SweepDeps = {
  db: Db;
  processor: Processor;
  config: { PAYMENT_RECONCILE_MS: number; ACCOUNT_DEADLINE_MS: number };
  log: Pick<Logger, 'error'>;
};

/**
 * Reads payouts in progress, those that were paid in the last days, and the traders' accounts, and applies their state at the
 * processor. Pays out what has become available at traders' accounts. Logs an alert for each payout whose money is stranded.
 */
export async function sweepPayouts(deps: SweepDeps): Promise<void> {
  const { db, config, log } = deps;
  const pace = { everyS: config.PAYMENT_RECONCILE_MS / 1000, most: MOST };
  for (const payout of await takeBankPayouts(db, 'sent', pace)) await readPayout(deps, payout);
  for (const payout of await takeBankPayouts(db, 'done', PAID_AGAIN)) await readPayout(deps, payout);
  for (const account of await takeAccounts(db, false, pace)) await readAccount(deps, account);
  for (const account of await takeAccounts(db, true, ACCOUNT_AGAIN)) await readAccount(deps, account);
  await payWaiting(db, MOST, config.ACCOUNT_DEADLINE_MS);
  for (const { payout_id, safe_action } of await listStranded(db))
    log.error({ alert: 'payout_stranded', payout_id, safe_action }, 'operator action required');
}

type AtAccount = { processor_account_id: string };

/** A payout that another one takes back from the bank is followed by the state of that one. */
async function readPayout(
  { db, processor }: SweepDeps,
  { processor_id, processor_account_id: account }: AtAccount & { processor_id: string },
): Promise<void> {
  const payout = await processor.findPayout(processor_id, account);
  if (payout.kind !== 'found') return;
  await applyPayout(db, account, payout.data);
  if (payout.data.reversedBy === null) return;
  const reversal = await processor.findPayout(payout.data.reversedBy, account);
  if (reversal.kind === 'found') await applyPayout(db, account, reversal.data);
}

async function readAccount({ db, processor }: SweepDeps, { processor_account_id }: AtAccount): Promise<void> {
  const readAt = epochMs();
  const account = await processor.findAccount(processor_account_id);
  if (account.kind === 'found') await applyAccount(db, account.data, readAt);
}
