import type { Logger } from 'pino';
import type { Fact } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import { closeAsUnreadable, closeEvent } from '../payments/commands.ts';
import { findOpenEvent } from '../payments/queries.ts';
import { applyAccount, applyPayout, applyTransfer, closeAccount, type Outcome, type Tx } from './reports/store.ts';

/** What the handler of an event needs. */
export type NotifiedDeps = { db: Db; log: Pick<Logger, 'error'> };

/**
 * Applies one stored event about a payout or a trader's account, and closes it, in one transaction. Safe to repeat, and independent
 * of the order of events.
 */
export async function handlePayoutEvent(eventId: string, { db, log }: NotifiedDeps): Promise<void> {
  const event = await findOpenEvent(db, eventId);
  if (!event) return;
  await db.transaction(async (tx) => {
    const outcome = await applyFact(tx, event.fact, event.said_at_ms);
    if (outcome === 'unreadable') await closeAsUnreadable(tx, log, eventId);
    else await closeEvent(tx, eventId, outcome);
  });
}

async function applyFact(tx: Tx, fact: Fact, atMs: number): Promise<Outcome> {
  if (fact.about === 'unreadable') return 'unreadable';
  if (fact.about === 'payout') return applyPayout(tx, fact.accountId, fact, atMs);
  if (fact.about === 'transfer') return applyTransfer(tx, fact.accountId, fact, atMs);
  if (fact.about === 'deauthorization') return closeAccount(tx, fact.accountId, atMs);
  if (fact.about === 'account') return applyAccount(tx, fact, atMs);
  throw new Error(`An event about ${fact.about} is not about a payout or its account`);
}
