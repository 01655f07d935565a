import { type DatabaseTransactionConnection, sql } from 'slonik';
import { z } from 'zod';
import type { AccountSeen, PayoutSeen, Fact as ProcessorFact, TransferSeen } from '../../adapters/processor/types.ts';
import { type Pace, takeDue } from '../../db/polling.ts';
import type { Db } from '../../db/pool.ts';
import type { Claim } from '../../intents/intent.ts';
import { sealedResult } from '../../intents/sealed-results.ts';
import { settleBy, succeedWith } from '../../intents/settle.ts';
import { newId, newIntentId, type OwnerId, type PayoutId, type UserId } from '../../kernel/ids.ts';
import type { Sealer } from '../../kernel/seal.ts';

const done = z.object({ ok: z.boolean() });
const nothing = z.object({});
/** A claimed intent, with its owner. */
type Intent = Claim & { owner: OwnerId };
type Tx = Pick<DatabaseTransactionConnection, 'query' | 'maybeOne' | 'maybeOneFirst'>;

/** Ends the creation of a user's account with the account that the processor created. */
export function recordAccount(
  db: Db,
  intent: Intent,
  { userId, isAbroad }: { userId: UserId; isAbroad: boolean },
  made: AccountSeen,
): Promise<boolean> {
  const account = {
    id: newId('con'),
    owner: intent.owner,
    user_id: userId,
    processor_account_id: made.accountId,
    country: made.country,
    is_abroad: isAbroad,
    payouts_enabled: made.payoutsEnabled,
    charges_enabled: made.chargesEnabled,
    details_submitted: made.detailsSubmitted,
  };
  const outcome = { result: { processor_account_id: made.accountId } };
  const statement = sql.prepared('record_connect_account', nothing)`
    select record_connect_account(${intent.id}, ${intent.fence}, ${JSON.stringify(outcome)}::jsonb, ${JSON.stringify(account)}::jsonb)`;
  return settleBy(db, intent, 'succeeded', statement);
}

/** Ends the creation of a link. The link is stored sealed: whoever opens it can act as the user. */
export const recordLink = (
  { db, sealer }: { db: Db; sealer: Sealer },
  intent: Intent,
  { url }: { url: string },
): Promise<boolean> =>
  succeedWith(db, 'record_link', intent, {}, sealedResult(sealer, intent.id, { onboarding_url: url }));

/**
 * Ends the transfer to a trader's account and queues the payout from there to its bank; for an account abroad, once its
 * money is available there.
 */
export function recordTransfer(
  db: Db,
  intent: Intent,
  { payoutId, isAbroad, deadlineMs }: { payoutId: PayoutId; isAbroad: boolean; deadlineMs: number },
  { transferId, arrivalId }: { transferId: string; arrivalId: string | null },
): Promise<boolean> {
  const outcome = { result: { payout_id: payoutId, processor_transfer_id: transferId } };
  const item = isAbroad ? null : JSON.stringify({ id: newIntentId(), deadline_s: deadlineMs / 1000 });
  const statement = sql.prepared('record_transfer', nothing)`
    select record_transfer(${intent.id}, ${intent.fence}, ${JSON.stringify(outcome)}::jsonb, ${transferId}, ${arrivalId},
      ${item}::jsonb)`;
  return settleBy(db, intent, 'succeeded', statement);
}

/** Ends a payout intent with the payout that the processor accepted. Notifications report its later states. */
export function recordPayout(
  db: Db,
  intent: Intent,
  payoutId: PayoutId,
  { processorPayoutId }: { processorPayoutId: string },
): Promise<boolean> {
  const outcome = { result: { payout_id: payoutId, processor_payout_id: processorPayoutId } };
  const statement = sql.prepared('record_payout', nothing)`
    select record_payout(${intent.id}, ${intent.fence}, ${JSON.stringify(outcome)}::jsonb, ${processorPayoutId})`;
  return settleBy(db, intent, 'succeeded', statement);
}

/** Ends the reversal of a transfer. */
export function recordReversal(
  db: Db,
  intent: Intent,
  payoutId: PayoutId,
  { reversalId }: { reversalId: string },
): Promise<boolean> {
  const outcome = { result: { payout_id: payoutId, processor_reversal_id: reversalId } };
  const statement = sql.prepared('record_reversal', nothing)`
    select record_reversal(${intent.id}, ${intent.fence}, ${JSON.stringify(outcome)}::jsonb, ${reversalId})`;
  return settleBy(db, intent, 'succeeded', statement);
}

type EventOutcome = 'applied' | 'stale' | 'unreadable' | 'unknown';
const noted = z.object({ verdict: z.enum(['applied', 'stale', 'unreadable']) });

/**
 * Applies the processor's report on a payout to a bank. Only the payout that a step of ours names, at the account that
 * the payout is for, is moved.
 */
export async function applyPayout(tx: Tx, accountId: string, seen: PayoutSeen): Promise<EventOutcome> {
  const verdict = await tx.maybeOneFirst(sql.prepared('note_bank_payout', noted)`
    select note_bank_payout(${seen.processorPayoutId}, ${seen.status}, ${seen.amountCents}, ${seen.currency}, ${seen.failure}) verdict
    from payout_steps s
    join payouts p on p.id = s.payout_id
    join connect_accounts c on c.id = p.connect_account_id
    where s.processor_id = ${seen.processorPayoutId} and s.step = 'payout' and c.processor_account_id = ${accountId}`);
  return verdict ?? 'unknown';
}

/** Applies how much of a transfer is reversed. Only the transfer that a payout of ours names, to its account, counts. */
async function applyTransfer(tx: Tx, accountId: string, seen: TransferSeen): Promise<EventOutcome> {
  const isPossible = await tx.maybeOneFirst(sql.prepared('note_reversed', done)`
    select note_reversed(p.id, ${seen.reversedCents}) ok
    from payouts p
    join connect_accounts c on c.id = p.connect_account_id
    where p.processor_transfer_id = ${seen.transferId} and p.currency = ${seen.currency}
      and c.processor_account_id = ${accountId}`);
  return isPossible === null ? 'unknown' : isPossible ? 'applied' : 'unreadable';
}

/** Stores the processor's report on a trader's account; older reports change nothing. False for an unknown account. */
export async function applyAccount(tx: Tx, reading: AccountSeen, atMs: number): Promise<boolean> {
  const exists = await tx.maybeOne(sql.prepared('known_connect_account', nothing)`
    select
    from connect_accounts c
    where c.processor_account_id = ${reading.accountId}`);
  if (!exists) return false;
  await tx.query(sql.prepared('move_connect_account', nothing)`
    update connect_accounts c
    set payouts_enabled = ${reading.payoutsEnabled}, charges_enabled = ${reading.chargesEnabled}, details_submitted = ${reading.detailsSubmitted},
      country = coalesce(${reading.country}, c.country), bank_name = ${reading.bankName}, last4 = ${reading.last4},
      seen_at = to_timestamp(${atMs / 1000})
    where c.processor_account_id = ${reading.accountId} and (c.seen_at is null or c.seen_at <= to_timestamp(${atMs / 1000}))`);
  return true;
}

type Fact = Extract<ProcessorFact, { about: 'payout' | 'transfer' | 'account' }>;

/** Applies one event and closes it, in one transaction. */
export const applyEvent = (db: Db, event: { id: string; said_at_ms: number; fact: Fact }): Promise<void> =>
  db.transaction(async (tx) => {
    const outcome = await applyFact(tx, event.fact, event.said_at_ms);
    await tx.query(sql.prepared('close_payout_event', nothing)`
      update processor_events
      set outcome = ${outcome === 'unknown' ? 'not_ours' : outcome}, acted_at = now()
      where id = ${event.id}`);
  });

async function applyFact(tx: Tx, fact: Fact, atMs: number): Promise<EventOutcome> {
  if (fact.about === 'payout') return applyPayout(tx, fact.accountId, fact);
  if (fact.about === 'transfer') return applyTransfer(tx, fact.accountId, fact);
  return (await applyAccount(tx, fact, atMs)) ? 'applied' : 'unknown';
}

/** Accounts that cannot be paid out to yet and are due for a reading at this pace. */
export const takeUnfinishedAccounts = (db: Db, pace: Pace): Promise<readonly { processor_account_id: string }[]> =>
  takeDue(
    db,
    {
      table: 'connect_accounts',
      key: 'id',
      since: 'created_at',
      open: sql.fragment`not t.payouts_enabled and t.created_at > now() - interval '30 days'`,
      members: sql.fragment`t.processor_account_id`,
      row: accountRow,
    },
    pace,
  );

const accountRow = z.object({ processor_account_id: z.string() });

/** Payouts that the bank has not reported yet and that are due for a reading at this pace. */
export const takeOpenPayouts = (db: Db, pace: Pace): Promise<readonly z.infer<typeof openRow>[]> =>
  takeDue(
    db,
    {
      table: 'payout_steps',
      key: 'intent_id',
      since: 'created_at',
      open: sql.fragment`t.state = 'sent'`,
      members: sql.fragment`t.processor_id, (
        select c.processor_account_id
        from payouts p
        join connect_accounts c on c.id = p.connect_account_id
        where p.id = t.payout_id
      ) as processor_account_id`,
      row: openRow,
    },
    pace,
  );

const openRow = accountRow.extend({ processor_id: z.string() });

const waitingRow = accountRow.extend({ id: z.string(), arrival_id: z.string() });

/** Payouts whose money was not available at an account abroad when it was last looked for. Looked for again an hour later. */
export const takeWaitingPayouts = (db: Db, most: number): Promise<readonly z.infer<typeof waitingRow>[]> =>
  db.any(sql.type(waitingRow)`
    update payouts p
    set pay_after = now() + interval '1 hour'
    from connect_accounts c
    where c.id = p.connect_account_id and p.arrival_id is not null and p.id in (
      select d.id
      from payouts d
      where d.pay_after <= now()
      order by d.pay_after
      limit ${most}
      for update skip locked
    )
    returning p.id, p.arrival_id, c.processor_account_id`);

/** Plans when the money of a payout is looked for again. */
export async function waitForMoney(db: Db, payoutId: PayoutId, untilMs: number): Promise<void> {
  await db.query(sql.type(nothing)`
    update payouts set pay_after = to_timestamp(${untilMs / 1000}) where id = ${payoutId} and pay_after is not null`);
}

/** Requests the payout to the bank of what the trader's account holds of it. Does nothing if it was requested already. */
export async function payArrived(
  db: Db,
  payoutId: PayoutId,
  arrived: { amountCents: number; currency: string },
  deadlineMs: number,
): Promise<void> {
  const item = { id: newIntentId(), deadline_s: deadlineMs / 1000 };
  await db.query(sql.type(nothing)`
    select pay_arrived(${payoutId}, ${JSON.stringify(item)}::jsonb, ${arrived.amountCents}, ${arrived.currency})`);
}
