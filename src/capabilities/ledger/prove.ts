import type { Logger } from 'pino';
import type { Processor } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import { epochMs } from '../../kernel/work.ts';
import { noteBalance, provePlatform, requestProof, takeBalanceChanges } from './commands.ts';
import { findProvenUntil, listDifferences, listProvable } from './queries.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const FIRST_SPAN_MS = 7 * DAY_MS;
const OVERLAP_MS = 3 * DAY_MS; // a change may be listed before this service knows whose it is
const PAGE = 500; // accounts read from the database at once
const RUN_MS = 60_000; // a job of more than 2 min counts as lost, and a second one would do the same beside it
const UNDER_WAY_MINUTES = 60; // what moved later may not be reported yet

type Reading = Pick<ProofDeps, 'db' | 'processor'>;

/** What a proof needs. */
export type ProofDeps = { db: Db; processor: Processor; log: Pick<Logger, 'error'>; stopping: AbortSignal };

/** One part of a proof: the accounts behind `after`. A part without it begins a proof. */
export type ProofPart = { after?: string };

type Bounds = { minutes?: number; withinMs?: number };

/**
 * Compares the ledger with the processor: the changes of the platform's balance by payment and payout, whose fees and rates are posted,
 * and the balance of every payout account. A balance that differs is read once more, because money may have moved between both
 * sides. Another job goes on with the accounts that are left after `withinMs`, or at a stop. The last one logs an alert for each difference. Throws if
 * changes of the platform's balance cannot be read, after it has proven the rest: the queue runs it again.
 */
export async function proveLedger(
  { after = '' }: ProofPart,
  { db, processor, log, stopping }: ProofDeps,
  { minutes = UNDER_WAY_MINUTES, withinMs = RUN_MS }: Bounds = {},
): Promise<void> {
  const begunAt = epochMs();
  const unread = after === '' ? await postChanges({ db, processor }, begunAt, minutes) : null;
  let accounts = await listProvable(db, after, PAGE);
  for (; accounts.length > 0; accounts = await listProvable(db, accounts.at(-1)?.id ?? '', PAGE))
    for (const { id, processor_account_id: account } of accounts) {
      if (await differs({ db, processor }, account)) await differs({ db, processor }, account);
      if (stopping.aborted || epochMs() - begunAt >= withinMs) {
        await requestProof(db, id);
        return requireRead(unread);
      }
    }
  for (const { subject, currency, posted, shown, safe_action } of await listDifferences(db))
    log.error({ alert: 'ledger_differs', subject, currency, posted, shown, safe_action }, 'operator action required');
  requireRead(unread);
}

/**
 * Posts what comes with the changes of the platform's balance, and compares these with the ledger. Returns what cannot be read; null: everything was.
 * The next proof reads a change again that is unreadable, however old it is then.
 */
async function postChanges({ db, processor }: Reading, untilMs: number, minutes: number): Promise<string | null> {
  const provenUntil = await findProvenUntil(db);
  const since = new Date(provenUntil === null ? untilMs - FIRST_SPAN_MS : provenUntil - OVERLAP_MS);
  const read = await processor.listBalanceChanges(since.getTime());
  if (read.kind !== 'found') return 'its list';
  const { changes, unreadable } = read.data;
  const readUntilMs = Math.min(untilMs, ...unreadable.map(({ atMs }) => atMs ?? since.getTime()));
  await takeBalanceChanges(db, changes, { since, until: new Date(readUntilMs) });
  await provePlatform(db, since, minutes, new Date(untilMs));
  return unreadable.length === 0 ? null : unreadable.map(({ id }) => id).join(', ');
}

function requireRead(unread: string | null): void {
  if (unread !== null) throw new Error(`Changes of the platform's balance could not be read: ${unread}`);
}

/** Whether the balance that the processor shows differs from the ledger. One that cannot be read says nothing. */
async function differs({ db, processor }: Reading, account: string): Promise<boolean> {
  const balance = await processor.findBalance(account);
  return balance.kind === 'found' && (await noteBalance(db, account, balance.data));
}
