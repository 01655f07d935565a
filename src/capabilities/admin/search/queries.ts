import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';

const foundRow = z.custom<components['schemas']['FoundRecord']>();

/** The records that an id or an e-mail address names, newest first, with the ids of their relatives. */
export const findRecords = (db: Db, name: string): Promise<readonly z.infer<typeof foundRow>[]> =>
  db.any(sql.type(foundRow)`
    select f.kind, f.id, f.title, f.state, f.owner, f.created_at, f.relatives
    from ops.find(${name}) f`);
