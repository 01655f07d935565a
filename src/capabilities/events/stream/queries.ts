import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { PartnerId } from '../../../kernel/ids.ts';
import { LEAST_EVENT_DAYS } from '../../../kernel/retention.ts';
import type { EventLogs } from '../../streams/logs.ts';

const eventRow = z.object({ position: z.number(), type: z.string(), data: z.string() });
const endRow = z.object({ last_position: z.number(), is_whole: z.boolean() });
const lastRow = z.object({ subject: z.string(), last_position: z.number() });

/** The event logs of partners. The data of an event is its envelope, as webhooks carry it. */
export const partnerLogs = (db: Db): EventLogs => ({
  list: (partner, after, most) =>
    db.any(sql.prepared('partner_events_after', eventRow)`
      select v.position, v.type, event_body(v) as data
      from events v
      where v.owner = ${partner} and v.position > ${after}
      order by v.position
      limit ${most}`),
  end: (partner, after) =>
    db.one(sql.prepared('partner_log_end', endRow)`
      select l.last_position, ${after} <= l.last_position and (
        ${after} = l.last_position
        or exists (
          select
          from events v
          where v.owner = ${partner} and v.position = ${after}::bigint + 1
            and (
              v.created_at > now() - make_interval(days => ${LEAST_EVENT_DAYS})
              or (select count(*) from events n where n.owner = ${partner} and n.position > ${after}) = l.last_position - ${after}
            )
        )
      ) as is_whole
      from (
        select coalesce((select e.last_position from event_logs e where e.owner = ${partner}), 0) as last_position
      ) l`),
  ends: (partners) =>
    db.any(sql.prepared('partner_log_ends', lastRow)`
      select l.owner as subject, l.last_position
      from event_logs l
      where l.owner = any(${sql.array(partners, 'text')})`),
  listen: async () => {}, // nothing is polled for a partner
  invalid: (keyIds) =>
    db.anyFirst(sql.prepared('invalid_partner_keys', z.object({ id: z.string() }))`
      select c.id
      from unnest(${sql.array(keyIds, 'text')}) as c (id)
      where not exists (
        select
        from partner_keys k
        join partners p on p.id = k.partner_id
        where k.id = c.id
          and k.revoked_at is null
          and (k.expires_at is null or k.expires_at > now())
          and p.disabled_at is null
      )`),
});

/** The id of the event at a position of a partner's log; null if there is none. */
export const findEventAt = (db: Db, partner: PartnerId, position: number): Promise<string | null> =>
  db.maybeOneFirst(sql.prepared('event_at', z.object({ id: z.string() }))`
    select v.id
    from events v
    where v.owner = ${partner} and v.position = ${position}`);
