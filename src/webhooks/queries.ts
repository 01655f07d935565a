import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../contract/types.ts';
import type { Db } from '../db/pool.ts';
import type { OwnerId } from '../kernel/ids.ts';
import type { PageRequest } from '../kernel/pages.ts';

const endpointRow = z.custom<components['schemas']['WebhookEndpoint']>();

/** An endpoint in the form shown to its owner, without its secrets. */
export type Endpoint = z.infer<typeof endpointRow>;

const endpointColumns = sql.fragment`
  e.id, e.url, e.events, e.description, e.active, e.deactivated_because, e.failing_since, e.created_at, e.updated_at`;

/** An endpoint of this owner, or null. */
export const findEndpoint = (db: Db, owner: OwnerId, endpointId: string): Promise<Endpoint | null> =>
  db.maybeOne(sql.prepared('find_webhook_endpoint', endpointRow)`
    select ${endpointColumns}
    from webhook_endpoints e
    where e.id = ${endpointId} and e.app = ${owner}`);

/** The owner's endpoints, newest first, after `cursor`. */
export const listEndpoints = (db: Db, owner: OwnerId, { cursor, limit }: PageRequest): Promise<readonly Endpoint[]> =>
  db.any(sql.prepared('list_webhook_endpoints', endpointRow)`
    select ${endpointColumns}
    from webhook_endpoints e
    left join webhook_endpoints c on c.id = ${cursor}::text and c.app = e.app
    where e.app = ${owner}
      and (${cursor}::text is null or (e.created_at, e.id) < (c.created_at, c.id))
    order by e.created_at desc, e.id desc
    limit ${limit}`);

const deliveryRow = z.custom<components['schemas']['WebhookDelivery']>();

/** A delivery in the form shown to its app. One that is being sent is `pending`. */
export type Delivery = z.infer<typeof deliveryRow>;

const deliveryColumns = sql.fragment`
  d.id, d.endpoint_id, d.event_id, v.type as event_type, d.attempts, d.response_status, d.error, d.created_at,
  case d.state when 'sending' then 'pending' else d.state end as status,
  case d.state when 'pending' then d.due_at end as next_attempt_at,
  d.ended_at as completed_at`;

/** Deliveries to an endpoint of this owner, newest first, after `cursor`. */
export const listDeliveries = (
  db: Db,
  owner: OwnerId,
  endpointId: string,
  page: PageRequest,
): Promise<readonly Delivery[]> =>
  db.any(sql.prepared(`list_webhook_deliveries${page.cursor === null ? '' : '_behind'}`, deliveryRow)`
    select ${deliveryColumns}
    from webhook_deliveries d
    join events v on v.id = d.event_id
    where d.endpoint_id = ${endpointId}
      and d.app = ${owner}${
        page.cursor === null
          ? sql.fragment``
          : sql.fragment`
      and d.id < ${page.cursor}`
      }
    order by d.id desc
    limit ${page.limit}`);

/** A delivery of this owner, or null. */
export const findDelivery = (db: Pick<Db, 'maybeOne'>, owner: OwnerId, deliveryId: string): Promise<Delivery | null> =>
  db.maybeOne(sql.prepared('find_webhook_delivery', deliveryRow)`
    select ${deliveryColumns}
    from webhook_deliveries d
    join events v on v.id = d.event_id
    where d.id = ${deliveryId} and d.app = ${owner}`);

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
    where a.delivery_id = ${deliveryId} and d.app = ${owner}
    order by a.n`);
