import { sql } from 'slonik';
import { z } from 'zod';
import type { Registered, RegistrationView } from '../adapters/registrar/types.ts';
import type { Db } from '../db/pool.ts';
import { telling } from '../intents/endings.ts';
import type { Intent, Outcome, Problem } from '../intents/intent.ts';
import { nextLookMs, nextTryMs } from '../intents/plans.ts';
import { doubt, retry } from '../intents/settle.ts';
import type { Answer, Rejected } from '../kernel/answer.ts';
import type { RefusalCode } from '../kernel/refusals.ts';
import { isTerminal, nextPollMs, noteOf, notes, type Status, statusOf } from './rules.ts';

const done = z.object({ ok: z.boolean() });
const nothing = z.object({});

/** What is recorded of a payment that was made. */
export type Paid = { status: Exclude<Status, 'not_found'>; tx_hash: string; message: string | null };

/** The registrar's yes as it is recorded. */
export const paidBy = ({ status, txHash, message }: Registered): Paid =>
  status === 'unrecorded'
    ? { status: 'processing', tx_hash: txHash, message: notes.unrecorded }
    : { status, tx_hash: txHash, message: message ?? (status === 'pending' ? notes.pending : null) };

type Plan = { pollMs: number; refusedLookS: number };

/**
 * Records what came of a payment. A yes plans the first poll of what is not final yet; a no plans one look at the chain for when
 * the authorization has run out, so that a registrar that settles what it refused is found out.
 */
export function recordPurchase(db: Db, intent: Intent, answer: Answer<Paid>, plan: Plan): Promise<boolean> {
  switch (answer.kind) {
    case 'accepted': {
      const look = isTerminal(answer.said.status) ? null : nextPollMs(plan.pollMs, 0) / 1000;
      return end(db, intent, 'succeeded', { result: answer.said }, look);
    }
    case 'rejected':
      return end(db, intent, 'failed', { problem: problemOf(answer) }, plan.refusedLookS);
    case 'unreachable':
      return retry(db, intent, nextTryMs(intent.tries), { code: 'V1_REGISTRAR_UNREACHABLE' });
    case 'in_doubt':
      return stayInDoubt(db, intent, answer.why);
  }
}

const end = (
  db: Db,
  intent: Intent,
  ending: 'succeeded' | 'failed',
  outcome: Outcome,
  lookS: number | null,
): Promise<boolean> =>
  telling(
    db,
    intent,
    ending,
    db.oneFirst(sql.prepared('end_purchase', done)`
    select end_purchase(${intent.id}, ${intent.fence}, ${ending}, ${JSON.stringify(outcome)}::jsonb, ${lookS}) ok`),
  );

async function stayInDoubt(db: Db, intent: Intent, why: string): Promise<boolean> {
  const held = await doubt(db, intent, nextLookMs(intent.looks));
  if (held) await noteDoubt(db, intent.id, why);
  return held;
}

/** Tells the caller why a payment is in doubt. */
async function noteDoubt(db: Db, id: string, why: string): Promise<void> {
  await db.query(sql.prepared('note_purchase_doubt', nothing)`
    update registrations
    set message = ${noteOf(why)}, updated_at = now()
    where id = ${id} and status = 'processing' and tx_hash is null`);
}

const refusalBySlug: Record<string, RefusalCode> = {
  wallet_unproven: 'V1_WALLET_UNPROVEN',
  cap_reached: 'V1_REGISTRATION_CAP',
  already_registered: 'V1_ALREADY_REGISTERED',
  registration_pending: 'V1_REGISTRATION_UNDER_WAY',
  refused_for_form: 'VENUE_REJECTED',
};

/** A no of the registrar as a refusal of ours; every other reason is about the payment itself. */
export const problemOf = ({ slug }: Rejected): Problem => ({
  code: refusalBySlug[slug] ?? 'V1_PAYMENT_REFUSED',
  reason: slug,
});

/** Keeps a payment's hash the moment it is known. */
export async function notePayment(db: Db, id: string, txHash: string): Promise<void> {
  await db.query(sql.prepared('note_payment', nothing)`select note_payment(${id}, ${txHash}, ${notes.unrecorded})`);
}

/** One look at a registration: which it is, and how many there were before. What is recorded under an older count changes nothing. */
export type Look = { id: string; polls: number };

/** Brings back a registration that had ended as unpaid and turns out to be paid, and plans to look what it is. */
export async function reviveRegistration(db: Db, { id, polls }: Look, txHash: string): Promise<void> {
  await db.query(sql.prepared('revive_registration', nothing)`
    select revive_registration(${id}, ${polls}, ${txHash}, ${notes.late})`);
}

/** Records the registrar's word on a paid registration, and plans the next look unless it is final. */
export async function recordView(db: Db, { id, polls }: Look, view: RegistrationView, nextMs: number): Promise<void> {
  const status = statusOf(view.status);
  await db.query(sql.prepared('record_registration_view', nothing)`
    with told as (
      update registrations
      set status = ${status}, message = ${view.message}, estimated_time = ${view.estimatedTime}, polls = polls + 1,
        updated_at = now()
      where id = ${id} and polls = ${polls} and status in ('pending', 'processing')
      returning id, polls
    )
    select plan_registration_look(id, polls, ${nextMs / 1000})
    from told
    where ${!isTerminal(status)}`);
}

/** Plans the next look at a registration nothing new is known of. */
export async function lookLater(db: Db, { id, polls }: Look, nextMs: number): Promise<void> {
  await db.query(sql.prepared('look_later', nothing)`
    with counted as (
      update registrations
      set polls = polls + 1
      where id = ${id} and polls = ${polls}
      returning id, polls
    )
    select plan_registration_look(id, polls, ${nextMs / 1000})
    from counted`);
}

/** Ends a paid registration that the registrar never came to know. Its payment stays on record. */
export async function abandonRegistration(db: Db, id: string): Promise<void> {
  await db.query(sql.prepared('abandon_registration', nothing)`
    update registrations
    set status = 'failed', message = ${notes.abandoned}, updated_at = now()
    where id = ${id} and status in ('pending', 'processing')`);
}
