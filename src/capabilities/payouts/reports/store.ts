import { type DatabaseTransactionConnection, sql } from 'slonik';
import { z } from 'zod';
import type { AccountSeen, Fact, PayoutSeen, TransferSeen } from '../../../adapters/processor/types.ts';
import { handleEvent, type NotifiedDeps, type Outcome } from '../../payments/commands.ts';

const done = z.object({ ok: z.boolean() });
const nothing = z.object({});
/** A connection, or an open transaction. */
type Tx = Pick<DatabaseTransactionConnection, 'query' | 'maybeOne' | 'maybeOneFirst'>;

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

const noted = z.object({ verdict: z.enum(['applied', 'stale', 'unreadable']) });

/**
 * Applies the processor's report on a payout to a bank. Only the payout that a step of ours names, at the account that
 * the payout is for, is moved, at `atMs` by the processor's clock. The report on a payout that takes another one back
 * from the bank concerns that one: it has come back once the bank has paid, and is kept if the bank refuses.
 */
export async function applyPayout(tx: Tx, accountId: string, seen: PayoutSeen, atMs: number): Promise<Outcome> {
  const isBack = seen.originalId !== null;
  const processorId = seen.originalId ?? seen.processorPayoutId;
  const status = isBack ? (OF_BACK[seen.status] ?? 'reversing') : seen.status;
  const cents = isBack ? -seen.amountCents : seen.amountCents;
  const verdict = await tx.maybeOneFirst(sql.prepared('note_bank_payout', noted)`
    select note_bank_payout(${processorId}, ${status}, ${cents}, ${seen.currency}, ${isBack ? null : seen.failure},
      to_timestamp(${atMs / 1000}), ${isBack ? seen.processorPayoutId : null}) verdict
    from payout_steps s
    join payouts p on p.id = s.payout_id
    join connect_accounts c on c.id = p.connect_account_id
    where s.processor_id = ${processorId} and s.step = 'payout' and c.processor_account_id = ${accountId}`);
  return verdict ?? 'not_ours';
}

/** A bank may refuse what it has paid back (docs.stripe.com/connect/payout-reversals#failures). */
const OF_BACK: Record<string, string> = { paid: 'reversed', failed: 'kept', canceled: 'kept' };

/** Applies how much of a transfer is reversed. Only the transfer that a payout of ours names, to its account, counts. */
export async function applyTransfer(tx: Tx, accountId: string, seen: TransferSeen, atMs: number): Promise<Outcome> {
  const isPossible = await tx.maybeOneFirst(sql.prepared('note_reversed', done)`
    select note_reversed(p.id, ${seen.reversedCents}, to_timestamp(${atMs / 1000})) ok
    from payouts p
    join connect_accounts c on c.id = p.connect_account_id
    where p.processor_transfer_id = ${seen.transferId} and p.currency = ${seen.currency}
      and c.processor_account_id = ${accountId}`);
  return isPossible === null ? 'not_ours' : isPossible ? 'applied' : 'unreadable';
}

/**
 * Stores the processor's report on a trader's account; older reports change nothing. Another bank account is another
 * destination: the user is mailed.
 */
export async function applyAccount(tx: Tx, reading: AccountSeen, atMs: number): Promise<'applied'> {
  await tx.query(sql.prepared('move_connect_account', nothing)`
    with earlier as (
      select c.id, c.destination
      from connect_accounts c
      where c.processor_account_id = ${reading.accountId} and (c.seen_at is null or c.seen_at <= to_timestamp(${atMs / 1000}))
      for no key update
    ), changed as (
    update connect_accounts c
    set payouts_enabled = ${reading.payoutsEnabled}, transfers_enabled = ${reading.transfersEnabled},
      charges_enabled = ${reading.chargesEnabled}, details_submitted = ${reading.detailsSubmitted},
      country = coalesce(${reading.country}, c.country), bank_name = ${reading.bankName}, last4 = ${reading.last4},
      seen_at = to_timestamp(${atMs / 1000}), destination = coalesce(${reading.destination}, c.destination),
      destination_at = case
        when ${reading.destination}::text is not null and e.destination is distinct from ${reading.destination}::text
        then now() else c.destination_at
      end
    from earlier e
    where c.id = e.id
    returning c.user_id, c.detached_at, e.destination <> ${reading.destination}::text as is_another
    )
    select mail_user(c.user_id, 'payout_account_changed', gen_random_uuid(), '{}', 86400)
    from changed c
    where c.is_another and c.detached_at is null`);
  return 'applied';
}

/** Stores that the user of an account has left the platform: nothing can be paid to it. */
export async function closeAccount(tx: Tx, accountId: string, atMs: number): Promise<Outcome> {
  const closed = await tx.maybeOne(sql.prepared('close_connect_account', nothing)`
    update connect_accounts c
    set payouts_enabled = false, charges_enabled = false, seen_at = to_timestamp(${atMs / 1000})
    where c.processor_account_id = ${accountId} and (c.seen_at is null or c.seen_at <= to_timestamp(${atMs / 1000}))
    returning c.id`);
  return closed ? 'applied' : 'stale';
}
