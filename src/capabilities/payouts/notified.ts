import type { Fact } from '../../adapters/processor/types.ts';
import { handleEvent, type NotifiedDeps, type Outcome } from '../payments/commands.ts';
import { applyAccount, applyPayout, applyTransfer, closeAccount, type Tx } from './reports/store.ts';

/** Applies one stored event about a payout or a trader's account (see `handleEvent`). Safe to repeat; events may come in any order. */
export const handlePayoutEvent = (eventId: string, deps: NotifiedDeps): Promise<void> =>
  handleEvent(eventId, deps, (tx, { fact, said_at_ms }) => applyFact(tx, fact, said_at_ms));

async function applyFact(tx: Tx, fact: Fact, atMs: number): Promise<Outcome> {
  if (fact.about === 'payout') return applyPayout(tx, fact.accountId, fact, atMs);
  if (fact.about === 'transfer') return applyTransfer(tx, fact.accountId, fact, atMs);
  if (fact.about === 'deauthorization') return closeAccount(tx, fact.accountId, atMs);
  if (fact.about === 'account') return applyAccount(tx, fact, atMs);
  throw new Error(`An event about ${fact.about} is not about a payout or its account`);
}
