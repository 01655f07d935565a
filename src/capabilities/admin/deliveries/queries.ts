import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import type { AppId, WithIds } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

const deliveryRow = z.custom<WithIds<components['schemas']['TroubledDelivery']>>();

/** A delivery in the form shown to operators. Its URL has no query, which may hold a secret. */
export type TroubledDelivery = z.infer<typeof deliveryRow>;

const deliveryColumns = sql.fragment`
  d.delivery_id, d.app_id, d.endpoint_id, d.url, d.event_id, d.event_type, d.state, d.attempts, d.response_status, d.error,
  d.due_at, d.ended_at`;

type State = TroubledDelivery['state'];
type Range = { from: string | null; to: string | null };
type Filter = PageRequest & Range & { appId: AppId | null; eventType: string | null };

/** Deliveries in a state, of one app and type of event or (null) of all, since `from` and before `to`, newest first, after `cursor`. */
export const listByState = (db: Db, state: State, filter: Filter): Promise<readonly TroubledDelivery[]> => {
  if (state !== 'delivered') return listUndelivered(db, state, filter);
  const { appId, eventType } = filter;
  if (appId === null) return listUndelivered(db, state, filter);
  return eventType === null ? listDeliveredTo(db, appId, filter) : listDeliveredOfType(db, appId, eventType, filter);
};

/** Of each endpoint: one whose receiver is away for days has millions. */
const MOST_WAITING = 1_000;

/** Written out as literals, so that any plan can use the matching partial index; those that are open are picked first. */
const states: Record<State, FragmentSqlToken> = {
  pending: sql.fragment`d.delivery_id in (select w.id from open_ones w where w.state = 'pending')`,
  sending: sql.fragment`d.delivery_id in (select w.id from open_ones w where w.state = 'sending')`,
  delivered: sql.fragment`d.state = 'delivered'`,
  failed: sql.fragment`d.state = 'failed'`,
  cancelled: sql.fragment`d.state = 'cancelled'`,
};

const within = ({ from, to }: Range) => sql.fragment`
  (${from}::timestamptz is null or d.delivery_id >= sortable_from('whd', ${from}::timestamptz))
  and (${to}::timestamptz is null or d.delivery_id < sortable_from('whd', ${to}::timestamptz))`;

const listUndelivered = (db: Db, state: State, { appId, eventType, cursor, limit, ...range }: Filter) =>
  db.any(sql.type(deliveryRow)`
    with open_ones as materialized (
      select w.id, w.state
      from webhook_endpoints e
      cross join lateral (
        select p.id, p.state
        from webhook_deliveries p
        where p.endpoint_id = e.id and p.state = 'pending'
        order by p.due_at
        limit ${MOST_WAITING}
      ) w
      where ${appId}::text is null or e.owner = ${appId}
      union all
      select w.id, w.state
      from webhook_deliveries w
      where w.state = 'sending'
    )
    select ${deliveryColumns}
    from ops.deliveries d
    where ${states[state]} and ${within(range)}
      and (${appId}::text is null or d.app_id = ${appId})
      and (${eventType}::text is null or d.event_type = ${eventType})
      and (${cursor}::text is null or d.delivery_id < ${cursor})
    order by d.delivery_id desc
    limit ${limit}`);

/** Of each endpoint the newest, of these the newest. */
const listDeliveredTo = (db: Db, appId: AppId, { cursor, limit, ...range }: Filter) =>
  db.any(sql.type(deliveryRow)`
    select ${deliveryColumns}
    from webhook_endpoints e
    cross join lateral (
      select d.*
      from ops.deliveries d
      where d.endpoint_id = e.id and d.state = 'delivered' and ${within(range)} and (${cursor}::text is null or d.delivery_id < ${cursor})
      order by d.delivery_id desc
      limit ${limit}
    ) d
    where e.owner = ${appId}
    order by d.delivery_id desc
    limit ${limit}`);

/** In the order of the events: the position in their log, whose times rise with it. */
const listDeliveredOfType = (db: Db, appId: AppId, eventType: string, { cursor, limit, ...range }: Filter) =>
  db.any(sql.type(deliveryRow)`
    select ${deliveryColumns}
    from events v
    cross join lateral (
      select d.*
      from ops.deliveries d
      where d.event_id = v.id and d.state = 'delivered' and ${within(range)}
    ) d
    where v.owner = ${appId} and v.type = ${eventType}
      and (${range.to}::timestamptz is null or v.position < (select position_since(${appId}, ${range.to}::timestamptz)))
      and (${cursor}::text is null or (v.position, d.delivery_id) < (
        select e.position, c.delivery_id
        from ops.deliveries c
        join events e on e.id = c.event_id
        where c.delivery_id = ${cursor}
      ))
    order by v.position desc, d.delivery_id desc
    limit ${limit}`);

/** A delivery of any app, or null. */
export const findAnyDelivery = (db: Db, deliveryId: string): Promise<TroubledDelivery | null> =>
  db.maybeOne(sql.type(deliveryRow)`
    select ${deliveryColumns}
    from ops.deliveries d
    where d.delivery_id = ${deliveryId}`);
