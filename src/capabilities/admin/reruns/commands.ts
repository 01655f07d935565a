import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { IntentId } from '../../../kernel/ids.ts';
import { type Assessment, assessmentRow, type OpenFilter } from './queries.ts';

const resultRow = assessmentRow.extend({ done: z.boolean() });

/**
 * Runs an intent again if that is safe: an unsent intent is queued, a sent one is reconciled, and a settled one is left
 * unchanged. Throws INTENT_UNKNOWN, and V2_RERUN_REFUSED while a worker has it or if a re-run could act twice. Every
 * call is recorded.
 */
export async function rerun(
  db: Db,
  intentId: IntentId,
  actor: string,
  why: string,
): Promise<{ done: boolean; assessment: Assessment }> {
  const result = await db.maybeOne(sql.type(resultRow)`
    select r.done, r.verdict, r.is_safe, r.was_sent, r.venue_says, r.would_do, r.reason
    from rerun_intent(${intentId}, ${actor}, ${why}) r`);
  if (!result) throw new ApiError('INTENT_UNKNOWN');
  const { done, ...assessment } = result;
  if (!assessment.is_safe)
    throw new ApiError('V2_RERUN_REFUSED', {
      message: assessment.reason,
      reason: assessment.verdict,
      intent_id: intentId,
    });
  return { done, assessment };
}

const resultsRow = z.object({ verdict: z.string(), done: z.boolean(), intents: z.number() });

/** Runs the oldest 1,000 of these intents again, each if that is safe. Returns how many by verdict. Each is recorded. */
export const rerunAll = (
  db: Db,
  { kind, owner, state }: OpenFilter,
  actor: string,
  why: string,
): Promise<readonly z.infer<typeof resultsRow>[]> =>
  db.any(sql.type(resultsRow)`
    select r.verdict, r.done, r.intents
    from rerun_intents(${kind}, ${owner}, ${state}, ${actor}, ${why}) r`);
