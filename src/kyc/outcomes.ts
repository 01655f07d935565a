import { sql } from 'slonik';
import { z } from 'zod';
import type { VerificationSeen } from '../adapters/processor/types.ts';
import type { Db } from '../db/pool.ts';
import { telling } from '../intents/endings.ts';
import { hiding } from '../intents/hidden.ts';
import type { Intent } from '../intents/intent.ts';
import { recordNo } from '../intents/keyed.ts';
import type { Answer } from '../kernel/answer.ts';
import type { Sealer } from '../kernel/seal.ts';
import { lockKycCase } from './queries.ts';
import { caseAfter } from './rules.ts';

const nothing = z.object({});

/** Records what the processor said to the making of a verification session; what lets whoever holds it go on with it is hidden. */
export async function recordSession(
  { db, sealer }: { db: Db; sealer: Sealer },
  intent: Intent,
  answer: Answer<VerificationSeen>,
): Promise<boolean> {
  if (answer.kind !== 'accepted') return recordNo(db, intent, answer);
  const { sessionId, url, clientSecret } = answer.said;
  const result = { session_id: sessionId };
  const settled = db.oneFirst(sql.prepared('record_verification_session', z.object({ ok: z.boolean() }))`
    with settled as materialized (
      select record_verification_session(${intent.id}, ${intent.fence}, ${JSON.stringify({ result })}::jsonb, ${sessionId}) ok
    ), hidden as (
      ${hiding(sealer, intent.id, { url, client_secret: clientSecret })}
    )
    select ok
    from settled`);
  return telling(db, intent, 'succeeded', settled);
}

type Seen = Pick<VerificationSeen, 'sessionId' | 'userId' | 'status' | 'failure'>;

/**
 * Moves the case a session belongs to by the processor's word, and tells the app where that changes it. With an event's id the event
 * is closed in the same transaction; one about nobody's session stays open.
 */
export const applyVerification = (db: Db, seen: Seen, atMs: number, eventId: string | null = null): Promise<void> =>
  db.transaction(async (tx) => {
    const standing = await lockKycCase(tx, seen);
    const next =
      standing &&
      caseAfter(
        {
          ...standing,
          statusAtMs: standing.status_at_ms,
          sessionId: standing.session_id,
          failureReason: standing.failure_reason,
        },
        { ...seen, atMs },
      );
    if (next) {
      await tx.query(sql.prepared('move_kyc_case', nothing)`
        with moved as (
          update kyc_cases k
          set status = ${next.status}, failure_reason = ${next.failureReason}, status_at = to_timestamp(${atMs / 1000}),
            session_id = ${seen.sessionId}, verified_at = case when ${next.status === 'verified'} then now() end
          where k.user_id = ${standing.user_id}
          returning k.*
        )
        select emit_event(m.owner, 'kyc.updated', jsonb_build_object(
          'user_id', m.user_id, 'kyc_provider', m.provider, 'kyc_status', m.status,
          'kyc_verified_at', to_char(m.verified_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'kyc_failure_reason', m.failure_reason))
        from moved m`);
    }
    if (eventId === null) return;
    const outcome = next ? 'applied' : standing ? 'stale' : 'unknown';
    await tx.query(sql.prepared('close_kyc_event', nothing)`
      update processor_events
      set outcome = ${outcome}, acted_at = case when ${outcome !== 'unknown'} then now() end
      where id = ${eventId}`);
  });
