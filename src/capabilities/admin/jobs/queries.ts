import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

const deadRow = z.custom<components['schemas']['DeadJob']>();

/** A dead job in the form shown to operators. */
export type DeadJob = z.infer<typeof deadRow>;

/** Dead jobs without an intent, newest first, after `cursor`. */
export const listDead = (db: Db, { cursor, limit }: PageRequest): Promise<readonly DeadJob[]> =>
  db.any(sql.type(deadRow)`
    select j.job_id::text, j.task, j.about, j.attempts, j.died_at, j.last_error,
      jsonb_build_object('verdict', s.verdict, 'is_safe', s.is_safe, 'reason', s.reason) as rerun
    from ops.dead_jobs j
    cross join lateral ops.safe_to_rerun_job(j.job_id) s
    where ${cursor}::bigint is null or j.job_id < ${cursor}::bigint
    order by j.job_id desc
    limit ${limit}`);

/** Whether a text has the form of a job's id. The job may no longer exist. */
export const isJobId = (id: string): boolean => /^\d{1,18}$/.test(id);
