import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

const MOST = 100; // enough to show what happened; `recover` finds all

const sightingRow = z.object({ id: z.string(), kind: z.enum(['unknown', 'unsent']) });

/**
 * Stores the orders that prove that the database is behind: one that a venue shows and whose intent was never sent by this database, and one that
 * this service made and that has no intent here. At most 100 in all. Returns the new ones.
 */
export const recordRestoreEvidence = (
  db: Db,
  shown: string[],
  made: string[],
): Promise<readonly z.infer<typeof sightingRow>[]> =>
  db.any(sql.prepared('record_restore_evidence', sightingRow)`
    select n.id::text as id, n.kind
    from record_restore_evidence(${sql.array(shown, 'uuid')}, ${sql.array(made, 'uuid')}, ${MOST}) n`);
