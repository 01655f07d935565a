import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

/** Queues a proof of the ledger now, or the part of one behind an account, under the key of the nightly one: one that is queued runs once. */
export async function requestProof(db: Db, after?: string): Promise<void> {
  await db.query(sql.prepared('request_proof', z.object({}))`
    select graphile_worker.add_job('ledger/prove', ${JSON.stringify({ after })}::json, job_key => 'ledger-prove', max_attempts => 25)::text`);
}
