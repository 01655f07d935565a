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
export const listEvents = (db: Db, owner: OwnerId, page: LogPage): Promise<readonly Event[]> =>
  db.anyFirst(sql.prepared('list_events', eventRow)`
    select event_body(v)::json as event
    from events v
    where ${ofPage(owner, page)}
    order by v.position
    limit ${page.limit}`);

const PAGE_BYTES = 2 * 1024 * 1024; // an app's own events may have 128 KiB each: 500 of them take seconds, and the connections of others

/** How many of these events a page holds: those whose data has 2 MiB together, and at least one. It does not read their data. */
export const countFitting = (db: Db, owner: OwnerId, page: LogPage): Promise<number> =>
  db.oneFirst(sql.prepared('count_fitting_events', z.object({ count: z.number() }))`
    select greatest(1, count(*)) as count
    from (
      select sum(octet_length(v.data)) over (order by v.position) as bytes
      from events v
      where ${ofPage(owner, page)}
      order by v.position
      limit ${page.limit}
    ) v
    where v.bytes <= ${PAGE_BYTES}`);

const ofPage = (owner: OwnerId, { after, type, since }: LogPage) => sql.fragment`v.owner = ${owner}
      and v.position > coalesce((select p.position from events p where p.id = ${after} and p.owner = ${owner}), 0)
      and (${type ?? null}::text is null or v.type = ${type ?? null})
      and v.position >= (select case when ${since ?? null}::timestamptz is null then 0 else position_since(${owner}, ${since ?? null}) end)`;

/** Whether an app or partner has an event with this id. */
export const hasEvent = (db: Db, owner: OwnerId, eventId: string): Promise<boolean> =>
  db.exists(sql.unsafe`
    select
    from events v
    where v.id = ${eventId} and v.owner = ${owner}`);
