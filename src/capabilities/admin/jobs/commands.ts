import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';

const resultRow = z.custom<components['schemas']['JobAssessment'] & { done: boolean }>();

/**
 * Queues a dead job again if that is safe. Throws V2_JOB_UNKNOWN. Every call is recorded, also a rejected one: call `requireSafe` after the commit.
 */
export async function rerunJob(
  db: Db,
  jobId: string,
  actor: string,
  why: string,
): Promise<components['schemas']['JobRerun']> {
  const result = await db.maybeOne(sql.type(resultRow)`
    select r.done, r.verdict, r.is_safe, r.reason
    from rerun_dead_job(${jobId}::bigint, ${actor}, ${why}) r`);
  if (!result) throw new ApiError('V2_JOB_UNKNOWN');
  const { done, ...assessment } = result;
  return { done, assessment };
}

/** Throws V2_RERUN_REFUSED if the job was not queued again because it is not dead or could act twice. */
export function requireSafe({ assessment }: components['schemas']['JobRerun']): void {
  const { is_safe, reason: message, verdict: reason } = assessment;
  if (!is_safe) throw new ApiError('V2_RERUN_REFUSED', { message, reason });
}
