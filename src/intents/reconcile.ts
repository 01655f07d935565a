import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import type { IntentId } from '../kernel/ids.ts';
import type { UpstreamResult } from '../kernel/upstream-result.ts';
import { isSteadySince, noteDatabaseTime, noteWork } from '../kernel/work.ts';
import { JUST_AFTER_MS, nextReconcileMs, RARELY_MS } from './backoff.ts';
import type { IntentDefinition, IntentOf, SentRequest, Timing } from './define.ts';
import type { Claim, Intent, Problem } from './intent.ts';
import { fail, leaveUndecided, markInDoubt } from './settle.ts';

/**
 * Settles an intent in doubt only on proof: the upstream reports what it did, or it reports nothing after the request
 * can no longer be in flight. After the database's clock has jumped ahead, requests seem older than they are.
 */
export async function reconcile<Deps, Request, Payload extends Record<string, unknown>, Result>(
  verb: IntentDefinition<Deps, Request, Payload, Result>,
  intent: IntentOf<Request>,
  deps: Deps & { db: Db },
): Promise<void> {
  const { db } = deps;
  const sent = { intent, payload: verb.payload.parse(intent.sent_payload) };
  const { inFlightMs } = verb.timing(deps);
  noteDatabaseTime(Date.parse(String(intent.sending_at)) + intent.sent_ago_ms);
  const finding = await verb.reconcile(sent, deps);
  const isOver = finding.kind === 'absent' && finding.isOver === true;
  const isInFlight = !isOver && (intent.sent_ago_ms <= inFlightMs || !isSteadySince(inFlightMs));
  if (finding.kind === 'accepted' || finding.kind === 'rejected') await recordFound(verb, sent, finding, deps);
  else if (finding.kind === 'absent' && !isInFlight) await recordAbsence(db, intent, verb, finding);
  else if (finding.kind === 'undecidable' && !isInFlight) await leaveUndecided(db, intent, finding.problem);
  else {
    const delayMs = isRare(finding)
      ? RARELY_MS
      : Math.min(untilNextReconciliation(intent, inFlightMs), againIn(finding));
    await markInDoubt(
      db,
      intent,
      delayMs,
      finding.kind === 'unknown' ? finding.why : 'not found, and it may be in flight',
    );
  }
}

/** Makes the look-up of an intent in doubt due at once, because its upstream has reported something of it. No effect on intents in other states. */
export async function hurryDoubt(db: Db, id: IntentId): Promise<void> {
  await db.query(sql.prepared('hurry_doubt', z.object({}))`select hurry_doubt(${id})::text`);
}

/** Records a finding. An intent that stays in doubt nevertheless is looked up again. */
async function recordFound<Deps, Request, Payload extends Record<string, unknown>, Result>(
  verb: Pick<IntentDefinition<Deps, Request, Payload, Result>, 'record'>,
  sent: SentRequest<Request, Payload>,
  finding: UpstreamResult<Result>,
  deps: Deps & { db: Db },
): Promise<void> {
  if (await verb.record(sent, finding, deps)) return;
  const { intent } = sent;
  await markInDoubt(
    deps.db,
    intent,
    nextReconcileMs(intent.reconcile_attempts),
    'what was found could not be recorded',
  );
}

const NOT_CARRIED_OUT: Problem = { code: 'NOT_CARRIED_OUT' };

/**
 * Ends an intent whose request provably had no effect. If it may not have left because our worker ended, and the
 * upstream deduplicates, or if the intent is owed, it is sent again instead, within its deadline (`send_again`).
 */
async function recordAbsence(
  db: Db,
  intent: Claim,
  { deduplicates = false }: Pick<IntentDefinition<never, never, never, never>, 'deduplicates'>,
  { isOwed = false }: { isOwed?: boolean },
): Promise<void> {
  const again = (deduplicates || isOwed) && (await sendAgain(db, intent, isOwed));
  if (again) noteWork({ outcome: 'queued' });
  else await fail(db, intent, NOT_CARRIED_OUT);
}

const sendAgain = (db: Db, { id, fence }: Claim, isOwed: boolean): Promise<boolean> =>
  db.oneFirst(sql.type(z.object({ ok: z.boolean() }))`
    select send_again(${id}, ${fence}, ${JSON.stringify({ problem: NOT_CARRIED_OUT })}::jsonb, ${isOwed}) ok`);

const isRare = (finding: { kind: string; rarely?: boolean }): boolean => finding.rarely === true;

const againIn = (finding: { kind: string; againInMs?: number }): number =>
  finding.againInMs ?? Number.POSITIVE_INFINITY;

/** The planned delay, shortened to end just after the in-flight time: from then on, absence is proof. */
function untilNextReconciliation(
  { reconcile_attempts, sent_ago_ms }: Pick<Intent, 'reconcile_attempts' | 'sent_ago_ms'>,
  inFlightMs: Timing['inFlightMs'],
): number {
  const untilProofMs = inFlightMs - sent_ago_ms + JUST_AFTER_MS;
  return untilProofMs > 0
    ? Math.min(nextReconcileMs(reconcile_attempts), untilProofMs)
    : nextReconcileMs(reconcile_attempts);
}
