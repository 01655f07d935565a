import { sql } from 'slonik';
import { z } from 'zod';
import type { AccountSeen, Holding, MovementSeen } from '../../adapters/processor/types.ts';
import { eachInTurn } from '../../db/polling.ts';
import type { Db } from '../../db/pool.ts';
import type { Claim } from '../../intents/intent.ts';
import { sealedResult } from '../../intents/sealed-results.ts';
import { settleBy, succeedWith } from '../../intents/settle.ts';
import { payableAmount } from '../../kernel/currencies.ts';
import { type IntentId, idSchema, newId, newIntentId, type PayoutId, type UserId } from '../../kernel/ids.ts';
import type { Sealer } from '../../kernel/seal.ts';

const nothing = z.object({});
type OpenedAccount = {
  user_id: UserId;
  is_abroad: boolean;
  session_id?: string | undefined;
  replaces?: string | undefined;
};

/** Ends the creation of a user's account with the account that the processor created. */
export function recordAccount(db: Db, intent: Claim, wanted: OpenedAccount, made: AccountSeen): Promise<boolean> {
  const account = {
    id: newId('con'),
    owner: intent.owner,
    user_id: wanted.user_id,
    processor_account_id: made.accountId,
    country: made.country,
    is_abroad: wanted.is_abroad,
    payouts_enabled: made.payoutsEnabled,
    transfers_enabled: made.transfersEnabled,
    charges_enabled: made.chargesEnabled,
    details_submitted: made.detailsSubmitted,
    made_in_session: wanted.session_id,
    replaces: wanted.replaces,
  };
  const outcome = { result: { processor_account_id: made.accountId } };
  return settleBy(db, 'record_connect_account', intent, {
    ending: 'succeeded',
    by: sql.fragment`record_connect_account(${intent.id}, ${intent.fence}, ${JSON.stringify(outcome)}::jsonb, ${JSON.stringify(account)}::jsonb)`,
  });
}

/** Ends the creation of a link. The link is stored sealed: whoever opens it can act as the user. */
export const recordLink = (
  { db, sealer }: { db: Db; sealer: Sealer },
  intent: Claim,
  { url }: { url: string },
): Promise<boolean> =>
  succeedWith(db, 'record_link', intent, {}, sealedResult(sealer, intent.id, { onboarding_url: url }));

/** Ends a step of a payout with the object that the processor made. With `deadlineMs`, a transfer queues the payout from there to the bank. */
export function recordStep(
  db: Db,
  intent: Claim,
  step: { payoutId: PayoutId; step: 'transfer' | 'payout' | 'reversal'; deadlineMs?: number },
  { id, arrivalId, madeAtMs }: MovementSeen,
): Promise<boolean> {
  const result = { payout_id: step.payoutId, [`processor_${step.step}_id`]: id };
  const item = step.deadlineMs && JSON.stringify({ id: newIntentId(), deadline_s: step.deadlineMs / 1000 });
  const noted = sql.fragment`note_step(${intent.id}, ${id}, ${arrivalId}, ${item ?? null}::jsonb,
      to_timestamp(${madeAtMs}::double precision / 1000))`;
  return succeedWith(db, 'record_step', intent, result, sql.fragment`(select '{}'::uuid[] from ${noted})`);
}

const accountRow = z.object({ processor_account_id: z.string() });
const accounts = {
  table: 'connect_accounts',
  key: 'id',
  since: 'created_at',
  owner: sql.fragment`t.owner`,
  members: sql.fragment`t.processor_account_id`,
  row: accountRow,
};

/** Attached accounts. */
export const attachedAccounts = { ...accounts, open: sql.fragment`t.detached_at is null` };

/** Attached accounts that can receive no payouts yet. */
export const unfinishedAccounts = {
  ...accounts,
  open: sql.fragment`
    (not t.payouts_enabled or not t.transfers_enabled) and t.detached_at is null and t.created_at > now() - interval '30 days'`,
};

const bankPayouts = {
  table: 'payout_steps',
  key: 'intent_id',
  since: 'created_at',
  owner: sql.fragment`(select p.owner from payouts p where p.id = t.payout_id)`,
  members: sql.fragment`t.processor_id, (
    select c.processor_account_id
    from payouts p
    join connect_accounts c on c.id = p.connect_account_id
    where p.id = t.payout_id
  ) as processor_account_id`,
  row: accountRow.extend({ processor_id: z.string() }),
};

/** Payouts that the bank has not reported yet, and their accounts. */
export const sentPayouts = { ...bankPayouts, open: sql.fragment`t.state = 'sent'` };

/**
 * As `sentPayouts`, for payouts that the bank paid within the last ten days: a bank returns a payout within 2 to 3 days, sometimes later
 * (docs.stripe.com/payouts#payout-failures).
 */
export const paidPayouts = {
  ...bankPayouts,
  open: sql.fragment`t.step = 'payout' and t.state = 'done' and t.ended_at > now() - interval '10 days'`,
};

/** Payouts for which the service still has to read what the trader's account received and gave back of the transfer. */
export const unreadArrivals = {
  table: 'payouts',
  key: 'id',
  since: 'requested_at',
  owner: sql.fragment`t.owner`,
  open: sql.fragment`t.is_unread`,
  members: sql.fragment`t.id, t.processor_transfer_id, (
    select c.processor_account_id
    from connect_accounts c
    where c.id = t.connect_account_id
  ) as processor_account_id`,
  row: accountRow.extend({ id: idSchema.payout, processor_transfer_id: z.string() }),
};

/** Stores what the processor shows of a transfer at the trader's account, see `note_holding`. */
export async function noteHolding(db: Db, payoutId: PayoutId, accountId: string, holding: Holding): Promise<void> {
  await db.query(sql.prepared('note_holding', nothing)`
    select note_holding(${payoutId}, ${accountId}, ${holding.reversedCents}, ${holding.currency}, ${movementsOf(holding)}::jsonb)`);
}

/**
 * Requests the next step of payouts that waited until now: for their money to be available at the trader's account, or for the
 * platform or the processor. Owners take turns: the money of many becomes available at the same hour. One that somebody holds is left to
 * the next run.
 */
export async function payWaiting(db: Db, most: number, deadlineMs: number): Promise<void> {
  const waiting = await db.any(sql.type(z.object({ id: z.string() }))`
    select t.id
    from (
      select p.id, row_number() over (partition by p.owner order by p.pay_after) as nth
      from payouts p
      where p.pay_after <= now()
    ) w
    join payouts t on t.id = w.id
    order by w.nth, t.pay_after
    limit ${most}
    for no key update of t skip locked`);
  await eachInTurn(waiting, ({ id }) => {
    const item = { id: newIntentId(), deadline_s: deadlineMs / 1000 };
    return db.query(sql.type(nothing)`select pay_arrived(${id}, ${JSON.stringify(item)}::jsonb)`);
  });
}

/** Records that a step waits, for a reason that is not its own: its payout is shown as delayed until the step goes on. */
export async function noteDelay(db: Db, intentId: IntentId, { code }: { code: string }): Promise<void> {
  await db.query(sql.prepared('delay_payout', nothing)`select delay_payout(${intentId}, ${code})`);
}

/** As `noteDelay`, of a step that cannot be prepared now: it is prepared again later. */
export async function delay<P extends { code: string }>(db: Db, intentId: IntentId, problem: P): Promise<{ wait: P }> {
  await noteDelay(db, intentId, problem);
  return { wait: problem };
}

/**
 * Fixes the amount and currency of a payout to the bank by what the trader's account holds now and the bank can take. `later`: it is not
 * available yet. `reversed`: it holds nothing. `unreadable`: the processor shows less than is known here.
 */
export const fixBankLeg = (db: Db, intentId: IntentId, holding: Holding): Promise<z.infer<typeof fixed>['verdict']> =>
  db.oneFirst(sql.prepared('fix_bank_leg', fixed)`
    select fix_bank_leg(${intentId}, ${holding.reversedCents}, ${payableAmount(holding.heldCents, holding.currency)}, ${holding.currency},
      ${holding.arrivalId}, ${holding.availableAtMs}, ${movementsOf(holding)}::jsonb) verdict`);

const movementsOf = ({ movements }: Holding): string =>
  JSON.stringify(movements.map(({ id, net, atMs }) => ({ id, net, at_ms: atMs })));

const fixed = z.object({ verdict: z.enum(['fixed', 'later', 'reversed', 'unreadable']) });
