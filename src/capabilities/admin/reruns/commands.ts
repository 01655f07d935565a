import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { IntentId } from '../../../kernel/ids.ts';
import { type Assessment, assessmentRow, type OpenFilter } from './queries.ts';

const resultRow = assessmentRow.extend({ done: z.boolean() });

/** The outcome of a re-run. */
type Rerun = { done: boolean; assessment: Assessment };

/**
 * Runs an intent again if that is safe: an unsent intent is queued, a sent one is reconciled, and a settled one is left unchanged. Throws
 * INTENT_UNKNOWN. Every call is recorded, also a rejected one: call `requireSafe` after the commit.
 */
export async function rerun(db: Db, intentId: IntentId, actor: string, why: string): Promise<Rerun> {
  const result = await db.maybeOne(sql.type(resultRow)`
    select r.done, r.verdict, r.is_safe, r.was_sent, r.venue_says, r.would_do, r.reason
    from rerun_intent(${intentId}, ${actor}, ${why}) r`);
  if (!result) throw new ApiError('INTENT_UNKNOWN');
  const { done, ...assessment } = result;
  return { done, assessment };
}

/** Throws V2_RERUN_REFUSED if nothing was run again because no re-run is needed now or it could act twice. */
export function requireSafe(
  { assessment: { is_safe, reason: message, verdict: reason } }: Rerun,
  intent_id: IntentId,
): void {
  if (!is_safe) throw new ApiError('V2_RERUN_REFUSED', { message, reason, intent_id });
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
