import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

const MOST = 100; // enough to show what happened; `recover` finds all

const sightingRow = z.object({ id: z.string(), kind: z.enum(['unknown', 'unsent']) });

/**
 * Keeps the orders which prove that the database is behind: of those that venues show, an intent shown here as never sent; of those that
 * this service made, one without an intent. Returns what is new, 100 in all at most.
 */
export const recordRestoreEvidence = (
  db: Db,
  shown: string[],
  made: string[],
): Promise<readonly z.infer<typeof sightingRow>[]> =>
  db.any(sql.prepared('record_restore_evidence', sightingRow)`
    select n.id::text as id, n.kind
    from record_restore_evidence(${sql.array(shown, 'uuid')}, ${sql.array(made, 'uuid')}, ${MOST}) n`);
