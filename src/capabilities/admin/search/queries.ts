import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';

type FoundRecord = components['schemas']['FoundRecord'];
const foundRow = z.custom<FoundRecord & { is_more: boolean }>();

/** The newest 20 records of a kind that an id, an address or a name names, with the ids of their relatives. `is_more`: there are more of this kind. */
export const findRecords = (db: Db, name: string): Promise<readonly z.infer<typeof foundRow>[]> =>
  db.any(sql.type(foundRow)`
    select f.kind, f.id, f.title, f.state, f.owner, f.created_at, f.relatives, f.is_more
    from ops.find(${name}) f`);
