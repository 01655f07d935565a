import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import type { OwnerId } from '../../kernel/ids.ts';

const MOST = 100; // as the contract says

const foundRow = z.custom<components['schemas']['OwnRecord']>();

/** The records of a partner or an app that an id names, newest first, with the ids of their relatives. Others' are not found. */
export const findOwnRecords = (db: Db, owner: OwnerId, name: string): Promise<readonly z.infer<typeof foundRow>[]> =>
  db.any(sql.type(foundRow)`
    select f.kind, f.id, f.title, f.state, f.created_at, f.relatives
    from ops.find(${name}, ${owner}) f
    where f.kind not in ('app', 'partner', 'mail', 'processor_event')
    order by f.created_at desc, f.kind
    limit ${MOST}`);
