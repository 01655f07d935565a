import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import type { OwnerId } from '../../kernel/ids.ts';

const eventRow = z.object({ event: z.custom<components['schemas']['Event']>() });

/** An event in the form it was sent: the envelope. */
export type Event = z.infer<typeof eventRow>['event'];

/** Which events of a log: those of one type, and those since a time (ISO 8601). All without it. */
export type EventFilter = { type?: string | undefined; since?: string | undefined };
type LogPage = EventFilter & { after: string | null; limit: number };

/** Events of an app or partner in commit order, after the event `after`, or from the start for null. */
export const listEvents = (db: Db, owner: OwnerId, { after, limit, type, since }: LogPage): Promise<readonly Event[]> =>
  db.anyFirst(sql.prepared('list_events', eventRow)`
    select event_body(v)::json as event
    from events v
    where v.owner = ${owner}
      and v.position > coalesce((select p.position from events p where p.id = ${after} and p.owner = ${owner}), 0)
      and (${type ?? null}::text is null or v.type = ${type ?? null})
      and v.position >= (select case when ${since ?? null}::timestamptz is null then 0 else position_since(${owner}, ${since ?? null}) end)
    order by v.position
    limit ${limit}`);

/** Whether an app or partner has an event with this id. */
export const hasEvent = (db: Db, owner: OwnerId, eventId: string): Promise<boolean> =>
  db.exists(sql.unsafe`
    select
    from events v
    where v.id = ${eventId} and v.owner = ${owner}`);
