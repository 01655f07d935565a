import { sql } from 'slonik';
import { z } from 'zod';
import type { RegistrationView } from '../../adapters/registrar/types.ts';
import type { Db } from '../../db/pool.ts';
import type { Claim, Outcome } from '../../intents/intent.ts';
import { settleBy } from '../../intents/settle.ts';
import type { IntentId } from '../../kernel/ids.ts';
import { isTerminal, notes, statusOf } from './rules.ts';

const nothing = z.object({});

/**
 * Ends a purchase and its registration, and wipes the key. `pollS`: seconds until the first poll, null for none. False:
 * the claim is lost, and nothing was written.
 */
export function endPurchase(
  db: Db,
  intent: Claim,
  ending: 'succeeded' | 'failed',
  outcome: Outcome,
  pollS: number | null,
): Promise<boolean> {
  return settleBy(db, 'end_purchase', intent, {
    ending,
    by: sql.fragment`end_purchase(${intent.id}, ${intent.fence}, ${ending}, ${JSON.stringify(outcome)}::jsonb, ${pollS})`,
  });
}

/** Records for the caller why a payment is in doubt. */
export async function noteInDoubt(db: Db, id: IntentId, message: string): Promise<void> {
  await db.query(sql.prepared('note_purchase_in_doubt', nothing)`
    update registrations
    set message = ${message}, updated_at = now()
    where id = ${id} and status = 'processing' and tx_hash is null`);
}

/** Records the transaction hash of a payment as soon as it is known. */
export async function notePayment(db: Db, id: IntentId, txHash: string): Promise<void> {
  await db.query(sql.prepared('note_payment', nothing)`select note_payment(${id}, ${txHash}, ${notes.unrecorded})`);
}

/** One poll of a registration, with the number of earlier polls. A write with an outdated number changes nothing. */
type Poll = { id: IntentId; polls: number };

/** Reopens a registration that ended as unpaid but was paid after all, and schedules a poll. */
export async function reviveRegistration(db: Db, { id, polls }: Poll, txHash: string): Promise<void> {
  await db.query(sql.prepared('revive_registration', nothing)`
    select revive_registration(${id}, ${polls}, ${txHash}, ${notes.late})`);
}

/** Records the registrar's view of a paid registration, and schedules the next poll unless the status is final. */
export function recordView(db: Db, poll: Poll, view: RegistrationView, nextMs: number): Promise<void> {
  const status = statusOf(view.status);
  const seen = { status, message: view.message, estimated_time: view.estimatedTime };
  return finishPoll(db, poll, seen, isTerminal(status) ? null : nextMs);
}

/** Schedules the next poll of a registration without new information. */
export const planNextPoll = (db: Db, poll: Poll, nextMs: number): Promise<void> => finishPoll(db, poll, null, nextMs);

async function finishPoll(db: Db, { id, polls }: Poll, seen: object | null, nextMs: number | null): Promise<void> {
  await db.query(sql.prepared('finish_poll', nothing)`
    select finish_poll(${id}, ${polls}, ${seen && JSON.stringify(seen)}::jsonb, ${nextMs && nextMs / 1000})`);
}

const PAUSE_S = 3_600; // four polls at the slowest pace

/**
 * Notes that the registrar does not know a paid registration. Resolves to how long it has said so, in milliseconds, counted again after a pause in
 * which nobody asked or it was away.
 */
export const noteAbsence = (db: Db, id: IntentId): Promise<number> =>
  db.oneFirst(sql.prepared('note_absent_registration', z.object({ absent_ms: z.number() }))`
    update registrations r
    set absent_since = case when r.absent_at > now() - make_interval(secs => ${PAUSE_S}) then r.absent_since else now() end,
      absent_at = now()
    where r.id = ${id}
    returning extract(epoch from now() - r.absent_since)::double precision * 1000 as absent_ms`);

/** Ends a paid registration that the registrar never recorded. Its payment stays recorded. */
export async function abandonRegistration(db: Db, id: IntentId): Promise<void> {
  await db.query(sql.prepared('abandon_registration', nothing)`
    update registrations
    set status = 'failed', message = ${notes.abandoned}, updated_at = now()
    where id = ${id} and status in ('pending', 'processing')`);
}

/** Ends a registration whose account has ended at the network. */
export async function endAccount(db: Db, id: IntentId, status: 'eliminated' | 'deregistered'): Promise<void> {
  await db.query(sql.prepared('end_registered_account', nothing)`
    update registrations
    set status = ${status}, updated_at = now()
    where id = ${id} and status in ('registered', 'active')`);
}
