import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import type { OwnerId } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

const deliveryRow = z.custom<components['schemas']['WebhookDelivery']>();

/** A delivery in the form shown to its app. One that is being sent is `pending`. */
export type Delivery = z.infer<typeof deliveryRow>;

const deliveryColumns = sql.fragment`
  d.id, d.endpoint_id, d.event_id, v.type as event_type, d.attempts, d.response_status, d.error, d.created_at,
  case d.state when 'sending' then 'pending' else d.state end as status,
  case d.state when 'pending' then d.due_at end as next_attempt_at,
  d.ended_at as completed_at`;

/** Which deliveries: those in a state, those of a type of event. All without it. */
export type DeliveryFilter = { status?: Delivery['status'] | undefined; type?: string | undefined };

/** Conditions with literals, so that any plan can use the index of those that are rare. */
const STATES: Record<Delivery['status'], FragmentSqlToken> = {
  pending: sql.fragment`and (d.state = 'pending' or d.state = 'sending')`,
  delivered: sql.fragment`and d.state = 'delivered'`,
  failed: sql.fragment`and d.state = 'failed'`,
  cancelled: sql.fragment`and d.state = 'cancelled'`,
};

/** Checked before deliveries are read: for a type that the owner has no event of, all of them would be read. */
const hasEvents = (owner: OwnerId, type: string) =>
  sql.fragment`exists (select from events x where x.owner = ${owner} and x.type = ${type})`;

/**
 * Deliveries to an endpoint of this owner, newest first, after `cursor`. With a type the statement is not prepared: a plan cached for all types reads
 * every delivery of the endpoint to find a rare type.
 */
export const listDeliveries = (
  db: Db,
  owner: OwnerId,
  endpointId: string,
  {
    status = null,
    type = null,
    ...page
  }: PageRequest & { [Name in keyof DeliveryFilter]: DeliveryFilter[Name] | null },
): Promise<readonly Delivery[]> => {
  const name = `list_webhook_deliveries_${status ?? 'all'}${page.cursor === null ? '' : '_behind'}`;
  const statement = type === null ? sql.prepared(name, deliveryRow) : sql.type(deliveryRow);
  return db.any(statement`
    select ${deliveryColumns}
    from webhook_deliveries d
    join events v on v.id = d.event_id
    where d.endpoint_id = ${endpointId}
      and d.owner = ${owner}
      ${status === null ? sql.fragment`` : STATES[status]}
      ${type === null ? sql.fragment`` : sql.fragment`and v.owner = ${owner} and v.type = ${type} and ${hasEvents(owner, type)}`}
      ${page.cursor === null ? sql.fragment`` : sql.fragment`and d.id < ${page.cursor}`}
    order by d.id desc
    limit ${page.limit}`);
};

/** A delivery of this owner, or null. */
export const findDelivery = (db: Pick<Db, 'maybeOne'>, owner: OwnerId, deliveryId: string): Promise<Delivery | null> =>
  db.maybeOne(sql.prepared('find_webhook_delivery', deliveryRow)`
    select ${deliveryColumns}
    from webhook_deliveries d
    join events v on v.id = d.event_id
    where d.id = ${deliveryId} and d.owner = ${owner}`);

const eventRow = z.object({ event: z.custom<components['schemas']['Event']>() });

/** The event of a delivery of this owner, as it is sent. Throws if there is no such delivery. */
export const getEventOfDelivery = (db: Db, owner: OwnerId, deliveryId: string) =>
  db.oneFirst(sql.prepared('event_of_delivery', eventRow)`
    select event_body(v)::json as event
    from webhook_deliveries d
    join events v on v.id = d.event_id
    where d.id = ${deliveryId} and d.owner = ${owner}`);

const attemptRow = z.custom<components['schemas']['WebhookDeliveryDetail']['attempt_log'][number]>();

/** Every attempt at a delivery of this owner, in order. */
export const listAttempts = (
  db: Db,
  owner: OwnerId,
  deliveryId: string,
): Promise<readonly z.infer<typeof attemptRow>[]> =>
  db.any(sql.prepared('list_webhook_attempts', attemptRow)`
    select a.n, a.started_at, a.duration_ms, a.response_status, a.error, a.response
    from webhook_attempts a
    join webhook_deliveries d on d.id = a.delivery_id
    where a.delivery_id = ${deliveryId} and d.owner = ${owner}
    order by a.n`);
