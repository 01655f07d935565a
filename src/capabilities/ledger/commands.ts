import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

/** Queues a proof of the ledger, as the nightly one. */
export async function requestProof(db: Db): Promise<void> {
  await db.query(sql.prepared('request_proof', z.object({}))`select request_proof()`);
}
