import { type DatabaseTransactionConnection, sql } from 'slonik';
import { z } from 'zod';
import type { AccountSeen, PayoutSeen } from '../adapters/processor/types.ts';
import { type Pace, takeDue } from '../db/polling.ts';
import type { Db } from '../db/pool.ts';
import type { Held } from '../intents/intent.ts';
import { sealedResult } from '../intents/sealed-results.ts';
import { notifying, succeedWith } from '../intents/store.ts';
import type { OwnerId, UserId } from '../kernel/ids.ts';
import { newId, newIntentId } from '../kernel/ids.ts';
import type { Sealer } from '../kernel/seal.ts';
import { payoutStep } from './rules.ts';

const done = z.object({ ok: z.boolean() });
const nothing = z.object({});
/** A claimed intent, with its owner. */
type Intent = Held & { owner: OwnerId };
type Tx = Pick<DatabaseTransactionConnection, 'query' | 'maybeOne' | 'oneFirst'>;

/** Ends the creation of a user's account with the account that the processor created. */
export function recordAccount(db: Db, intent: Intent, userId: UserId, made: AccountSeen): Promise<boolean> {
  const account = {
    id: newId('con'),
    owner: intent.owner,
    user_id: userId,
    processor_account_id: made.accountId,
    country: made.country,
    payouts_enabled: made.payoutsEnabled,
    charges_enabled: made.chargesEnabled,
    details_submitted: made.detailsSubmitted,
  };
  const outcome = { result: { processor_account_id: made.accountId } };
  const settled = db.oneFirst(sql.prepared('record_connect_account', done)`
    select record_connect_account(${intent.id}, ${intent.fence}, ${JSON.stringify(outcome)}::jsonb, ${JSON.stringify(account)}::jsonb) ok`);
  return notifying(db, intent, 'succeeded', settled);
}

/** Ends the creation of a link. The link is stored sealed: whoever opens it can act as the user. */
export const recordLink = (
  { db, sealer }: { db: Db; sealer: Sealer },
  intent: Intent,
  { url }: { url: string },
): Promise<boolean> =>
  succeedWith(db, 'record_link', intent, {}, sealedResult(sealer, intent.id, { onboarding_url: url }));

/** Ends the transfer to a trader's account and queues the payout from there to its bank. */
export function recordTransfer(
  db: Db,
  intent: Intent,
  { payoutId, deadlineMs }: { payoutId: string; deadlineMs: number },
  { transferId }: { transferId: string },
): Promise<boolean> {
  const outcome = { result: { payout_id: payoutId, processor_transfer_id: transferId } };
  const item = {
    n: 0,
    id: newIntentId(),
    kind: 'payouts/pay',
    owner: intent.owner,
    digest: Buffer.from(payoutId).toString('hex'),
    request: { payout_id: payoutId },
    deadline_s: deadlineMs / 1000,
  };
  const settled = db.oneFirst(sql.prepared('record_transfer', done)`
    select record_transfer(${intent.id}, ${intent.fence}, ${JSON.stringify(outcome)}::jsonb,
      ${transferId}, ${JSON.stringify(item)}::jsonb) ok`);
  return notifying(db, intent, 'succeeded', settled);
}

/** Ends a payout intent with the payout that the processor accepted. Notifications report its later status. */
export function recordPayout(
  db: Db,
  intent: Intent,
  payoutId: string,
  { processorPayoutId }: { processorPayoutId: string },
): Promise<boolean> {
  const result = { payout_id: payoutId, processor_payout_id: processorPayoutId };
  const change = sql.fragment`
      update payouts p
      set processor_payout_id = ${processorPayoutId}
      where p.id = ${payoutId} and (select ok from settled)`;
  return succeedWith(db, 'record_payout', intent, result, change);
}

/**
 * Applies the processor's report on a payout, and emits an event if that ends the payout. `accountId`: the connected
 * account that the report is from. False for an unknown payout, or one to another account.
 */
export async function applyPayout(
  tx: Tx,
  { accountId, payoutId, status, failure }: PayoutSeen & { accountId: string },
): Promise<boolean> {
  const exists = await tx.maybeOne(sql.prepared('known_payout', nothing)`
    select
    from payouts p
    join connect_accounts c on c.id = p.connect_account_id
    where p.id = ${payoutId} and c.processor_account_id = ${accountId}`);
  if (!exists) return false;
  const step = payoutStep({ status, failure });
  if (step.kind === 'completed')
    await tx.query(sql.prepared('complete_payout', nothing)`select complete_payout(${payoutId})`);
  if (step.kind === 'failed')
    await tx.query(
      sql.prepared('fail_payout', nothing)`select fail_payout(${payoutId}, ${step.reason}, ${step.isReturned})`,
    );
  return true;
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

type Fact = ({ about: 'payout'; accountId: string } & PayoutSeen) | ({ about: 'account' } & AccountSeen);

/** Applies one event and closes it, in one transaction. */
export const applyEvent = (db: Db, event: { id: string; said_at_ms: number; fact: Fact }): Promise<void> =>
  db.transaction(async (tx) => {
    const { id, said_at_ms, fact } = event;
    const isKnown = fact.about === 'payout' ? await applyPayout(tx, fact) : await applyAccount(tx, fact, said_at_ms);
    await tx.query(sql.prepared('close_payout_event', nothing)`
      update processor_events
      set outcome = ${isKnown ? 'applied' : 'not_ours'}, acted_at = now()
      where id = ${id}`);
  });

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

/** Payouts under way that are due for a reading at this pace. */
export const takeOpenPayouts = (db: Db, pace: Pace): Promise<readonly z.infer<typeof openRow>[]> =>
  takeDue(
    db,
    {
      table: 'payouts',
      key: 'id',
      since: 'submitted_at',
      open: sql.fragment`t.status = 'submitted' and t.processor_payout_id is not null`,
      members: sql.fragment`t.processor_payout_id, (
        select c.processor_account_id
        from connect_accounts c
        where c.id = t.connect_account_id
      ) as processor_account_id`,
      row: openRow,
    },
    pace,
  );

const openRow = accountRow.extend({ processor_payout_id: z.string() });
