import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import type { OwnerId } from '../../kernel/ids.ts';

const eventRow = z.custom<components['schemas']['Event']>();

/** An event in the form it was sent: the envelope. */
export type Event = z.infer<typeof eventRow>;

/** Events of an app or partner in commit order, after the event `after`, or from the start for null. */
export const listEvents = (db: Db, owner: OwnerId, after: string | null, limit: number): Promise<readonly Event[]> =>
  db.any(sql.prepared('list_events', eventRow)`
    select v.id, v.type, v.body::json -> 'data' as data, v.body::json ->> 'timestamp' as timestamp
    from events v
    where v.owner = ${owner}
      and v.position > coalesce((select p.position from events p where p.id = ${after} and p.owner = ${owner}), 0)
    order by v.position
    limit ${limit}`);

/** Whether an app or partner has an event with this id. */
export const hasEvent = (db: Db, owner: OwnerId, eventId: string): Promise<boolean> =>
  db.exists(sql.unsafe`
    select
    from events v
    where v.id = ${eventId} and v.owner = ${owner}`);
