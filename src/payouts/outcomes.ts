import { type DatabaseTransactionConnection, sql } from 'slonik';
import { z } from 'zod';
import type { AccountSeen, PayoutSeen } from '../adapters/processor/types.ts';
import type { Db } from '../db/pool.ts';
import { telling } from '../intents/endings.ts';
import { hiding } from '../intents/hidden.ts';
import type { Intent } from '../intents/intent.ts';
import { recordNo } from '../intents/keyed.ts';
import { succeedWith } from '../intents/settle.ts';
import type { Answer } from '../kernel/answer.ts';
import { newId, newIntentId } from '../kernel/ids.ts';
import type { Sealer } from '../kernel/seal.ts';
import { payoutStep } from './rules.ts';

const done = z.object({ ok: z.boolean() });
const nothing = z.object({});
type Tx = Pick<DatabaseTransactionConnection, 'query' | 'maybeOne' | 'oneFirst'>;

/** Records what the processor said to the making of a user's account. */
export async function recordAccount(db: Db, intent: Intent, answer: Answer<AccountSeen>): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  const { accountId, country, payoutsEnabled, chargesEnabled, detailsSubmitted } = answer.said;
  const change = sql.fragment`
      insert into connect_accounts (
        id, owner, user_id, processor_account_id, country, payouts_enabled, charges_enabled, details_submitted
      )
      select ${newId('con')}, ${intent.owner}, ${String(intent.asked.user_id)}, ${accountId}, ${country}, ${payoutsEnabled},
        ${chargesEnabled}, ${detailsSubmitted}
      from settled
      where ok
      on conflict do nothing`;
  return succeedWith(db, 'record_connect_account', intent, { processor_account_id: accountId }, change);
}

/** Records the link the processor made, hidden: it lets whoever opens it act as the user. */
export async function recordLink(
  { db, sealer }: { db: Db; sealer: Sealer },
  intent: Intent,
  answer: Answer<{ url: string }>,
): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  return succeedWith(db, 'record_link', intent, {}, hiding(sealer, intent.id, { onboarding_url: answer.said.url }));
}

/** Records the transfer to a trader's account, and asks for the payout from there to its bank. */
export async function recordTransfer(
  db: Db,
  intent: Intent,
  { payoutId, deadlineMs }: { payoutId: string; deadlineMs: number },
  answer: Answer<{ transferId: string }>,
): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  const { transferId } = answer.said;
  const item = {
    n: 0,
    id: newIntentId(),
    kind: 'payouts/pay',
    owner: intent.owner,
    digest: Buffer.from(payoutId).toString('hex'),
    asked: { payout_id: payoutId },
    deadline_s: deadlineMs / 1000,
  };
  const settled = db.oneFirst(sql.prepared('record_transfer', done)`
    select record_transfer(${intent.id}, ${intent.fence}, ${JSON.stringify({ result: { payout_id: payoutId, processor_transfer_id: transferId } })}::jsonb,
      ${transferId}, ${JSON.stringify(item)}::jsonb) ok`);
  return telling(db, intent, 'succeeded', settled);
}

/** Records the payout the processor has taken on; what becomes of it is told by notifications. */
export async function recordPayout(
  db: Db,
  intent: Intent,
  payoutId: string,
  answer: Answer<{ processorPayoutId: string }>,
): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  const { processorPayoutId } = answer.said;
  const result = { payout_id: payoutId, processor_payout_id: processorPayoutId };
  const change = sql.fragment`
      update payouts p
      set processor_payout_id = ${processorPayoutId}
      where p.id = ${payoutId} and (select ok from settled)`;
  return succeedWith(db, 'record_payout', intent, result, change);
}

/** Moves a payout by the processor's word on it, and tells the app where that ends it. False where we know no such payout. */
export async function applyPayout(tx: Tx, { payoutId, status, failure }: PayoutSeen): Promise<boolean> {
  const known = await tx.maybeOne(
    sql.prepared('known_payout', nothing)`select from payouts p where p.id = ${payoutId}`,
  );
  if (!known) return false;
  const step = payoutStep({ status, failure });
  if (step.kind === 'completed')
    await tx.query(sql.prepared('complete_payout', nothing)`select complete_payout(${payoutId})`);
  if (step.kind === 'failed')
    await tx.query(
      sql.prepared('fail_payout', nothing)`select fail_payout(${payoutId}, ${step.reason}, ${step.isReturned})`,
    );
  return true;
}

/** Keeps what the processor shows of a trader's account; older words change nothing. False where we know no such account. */
export async function applyAccount(tx: Tx, seen: AccountSeen, atMs: number): Promise<boolean> {
  const known = await tx.maybeOne(sql.prepared('known_connect_account', nothing)`
    select
    from connect_accounts c
    where c.processor_account_id = ${seen.accountId}`);
  if (!known) return false;
  await tx.query(sql.prepared('move_connect_account', nothing)`
    update connect_accounts c
    set payouts_enabled = ${seen.payoutsEnabled}, charges_enabled = ${seen.chargesEnabled}, details_submitted = ${seen.detailsSubmitted},
      country = coalesce(${seen.country}, c.country), bank_name = ${seen.bankName}, last4 = ${seen.last4},
      seen_at = to_timestamp(${atMs / 1000})
    where c.processor_account_id = ${seen.accountId} and (c.seen_at is null or c.seen_at <= to_timestamp(${atMs / 1000}))`);
  return true;
}

type Fact = ({ about: 'payout' } & PayoutSeen) | ({ about: 'account' } & AccountSeen);

/** Acts on one event and closes it, in one transaction; one about something we do not know stays open. */
export const applyEvent = (db: Db, event: { id: string; said_at_ms: number; fact: Fact }): Promise<void> =>
  db.transaction(async (tx) => {
    const { id, said_at_ms, fact } = event;
    const known = fact.about === 'payout' ? await applyPayout(tx, fact) : await applyAccount(tx, fact, said_at_ms);
    await tx.query(sql.prepared('close_payout_event', nothing)`
      update processor_events
      set outcome = ${known ? 'applied' : 'unknown'}, acted_at = case when ${known} then now() end
      where id = ${id}`);
  });
