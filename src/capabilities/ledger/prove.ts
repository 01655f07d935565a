import type { Logger } from 'pino';
import type { Processor } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import { epochMs } from '../../kernel/work.ts';
import { findProvenUntil, listDifferences, listProvable } from './queries.ts';
import { noteBalance, provePlatform, takeBalanceChanges } from './store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const FIRST_SPAN_MS = 7 * DAY_MS;
const OVERLAP_MS = 3 * DAY_MS; // a change may be listed before this service knows whose it is
const PAGE = 500; // accounts read from the database at once
const UNDER_WAY_MINUTES = 60; // what moved later may not be reported yet

/** What a proof needs. */
export type ProofDeps = { db: Db; processor: Processor; log: Pick<Logger, 'error'>; stopping: AbortSignal };

/**
 * Compares the ledger with the processor: the changes of the platform's balance by payment and payout, whose fees and rates are posted,
 * and the balance of every payout account. A balance that differs is read once more, because money may have moved between both
 * sides. Logs an alert for each difference. Throws if the changes of the platform's balance cannot be read: the queue runs it again.
 */
export async function proveLedger(
  { db, processor, log, stopping }: ProofDeps,
  minutes = UNDER_WAY_MINUTES,
): Promise<void> {
  const until = epochMs();
  const provenUntil = await findProvenUntil(db);
  const since = new Date(provenUntil === null ? until - FIRST_SPAN_MS : provenUntil - OVERLAP_MS);
  const changes = await processor.listBalanceChanges(since.getTime());
  if (changes.kind === 'found') {
    await takeBalanceChanges(db, changes.data, { since, until: new Date(until) });
    await provePlatform(db, since, minutes);
  }
  let accounts = await listProvable(db, '', PAGE);
  for (; accounts.length > 0; accounts = await listProvable(db, accounts.at(-1)?.id ?? '', PAGE))
    for (const { processor_account_id: account } of accounts) {
      if (stopping.aborted) return;
      if (await differs({ db, processor }, account)) await differs({ db, processor }, account);
    }
  for (const { subject, currency, posted, shown, safe_action } of await listDifferences(db))
    log.error({ alert: 'ledger_differs', subject, currency, posted, shown, safe_action }, 'operator action required');
  if (changes.kind !== 'found') throw new Error(`The changes of the platform's balance could not be read`);
}

/** Whether the balance that the processor shows differs from the ledger. One that cannot be read says nothing. */
async function differs({ db, processor }: Pick<ProofDeps, 'db' | 'processor'>, account: string): Promise<boolean> {
  const balance = await processor.findBalance(account);
  return balance.kind === 'found' && (await noteBalance(db, account, balance.data));
}
