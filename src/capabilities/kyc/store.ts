import { sql } from 'slonik';
import { z } from 'zod';
import type { VerificationSeen } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import type { Claim } from '../../intents/intent.ts';
import { sealedResult } from '../../intents/sealed-results.ts';
import { settleBy } from '../../intents/settle.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { handleEvent, type NotifiedDeps, type Outcome } from '../payments/commands.ts';
import { caseColumns, caseRow, type KycCase } from './queries.ts';
import { caseAfter, isSame } from './rules.ts';

const nothing = z.object({});

/** Ends the creation of a verification session. Its URL and client secret are stored sealed. */
export function recordSession(
  { db, sealer }: { db: Db; sealer: Sealer },
  intent: Claim,
  { sessionId, url, clientSecret }: VerificationSeen,
): Promise<boolean> {
  const outcome = { result: { session_id: sessionId } };
  return settleBy(db, 'record_verification_session', intent, {
    ending: 'succeeded',
    by: sql.fragment`record_verification_session(${intent.id}, ${intent.fence}, ${JSON.stringify(outcome)}::jsonb, ${sessionId})`,
    change: sealedResult(sealer, intent.id, { url, client_secret: clientSecret }),
  });
}

/** Applies one stored event about a verification (see `handleEvent`). Safe to repeat; events may come in any order. */
export const handleVerificationEvent = (eventId: string, deps: NotifiedDeps): Promise<void> =>
  handleEvent(eventId, deps, async (tx, { fact, said_at_ms }) => {
    if (fact.about !== 'verification') throw new Error(`An event about ${fact.about} is not about a verification`);
    return applyVerification(tx, fact, said_at_ms, 'event');
  });

type Reading = Pick<VerificationSeen, 'sessionId' | 'status' | 'failure'>;

/**
 * Applies what the processor reports at `atMs` to the case of a session, and emits an event if the case changes. A read is dated by our clock, so a
 * read that changes nothing does not make later events look old.
 */
export async function applyVerification(
  tx: Pick<Db, 'maybeOne' | 'query'>,
  reading: Reading,
  atMs: number,
  by: 'event' | 'reading',
): Promise<Outcome> {
  const current = await lockKycCase(tx, reading.sessionId);
  if (!current) return 'not_ours';
  const next = caseAfter(current, { ...reading, atMs });
  if (!next) return 'stale';
  const hasChanged = !isSame(current, next);
  if (hasChanged || by === 'event')
    await tx.query(sql.prepared('move_kyc_case', nothing)`
      with moved as (
        update kyc_cases k
        set status = ${next.status}, failure_reason = ${next.failureReason}, status_at = to_timestamp(${atMs / 1000}),
          session_id = ${reading.sessionId}, verified_at = case when ${next.status === 'verified'} then now() end
        where k.user_id = ${current.userId}
        returning k.*
      )
      select emit_event(m.owner, 'kyc.updated', jsonb_build_object(
        'user_id', m.user_id, 'kyc_provider', m.provider, 'kyc_status', m.status,
        'kyc_verified_at', to_char(m.verified_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'kyc_failure_reason', m.failure_reason))
      from moved m
      where ${hasChanged}`);
  return 'applied';
}

/** The case that names a session as its newest or an earlier one, locked until the transaction ends. */
const lockKycCase = (tx: Pick<Db, 'maybeOne'>, sessionId: string): Promise<KycCase | null> =>
  tx.maybeOne(sql.prepared('lock_kyc_case', caseRow)`
    select ${caseColumns}
    from kyc_cases k
    where k.session_id = ${sessionId} or k.earlier_session_ids @> ${sql.array([sessionId], 'text')}
    limit 1
    for update`);

/** Sessions that are open at the processor and began less than 30 days ago. */
export const openSessions = {
  table: 'kyc_cases',
  key: 'user_id',
  since: 'created_at',
  owner: sql.fragment`t.owner`,
  open: sql.fragment`t.verified_at is null and t.session_id <> '' and t.created_at > now() - interval '30 days'`,
  members: sql.fragment`t.session_id`,
  row: z.object({ session_id: z.string() }),
};
