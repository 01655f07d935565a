import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';

const endpointRow = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  description: z.string().nullable(),
  active: z.boolean(),
  deactivated_because: z.enum(['asked', 'gone', 'failing']).nullable(),
  failing_since: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

/** An endpoint as its app sees it, without its secrets. */
export type Endpoint = z.infer<typeof endpointRow>;

const endpointColumns = sql.fragment`
  e.id, e.url, e.events, e.description, e.active, e.deactivated_because, e.failing_since, e.created_at, e.updated_at`;

/** An endpoint of this app, or null. */
export const findEndpoint = (db: Db, app: string, endpointId: string): Promise<Endpoint | null> =>
  db.maybeOne(sql.prepared('find_webhook_endpoint', endpointRow)`
    select ${endpointColumns}
    from webhook_endpoints e
    where e.id = ${endpointId} and e.app = ${app}`);

/** The app's endpoints, newest first, from behind `cursor` on. */
export const listEndpoints = (
  db: Db,
  app: string,
  cursor: string | null,
  limit: number,
): Promise<readonly Endpoint[]> =>
  db.any(sql.prepared('list_webhook_endpoints', endpointRow)`
    select ${endpointColumns}
    from webhook_endpoints e
    left join webhook_endpoints c on c.id = ${cursor}::text and c.app = e.app
    where e.app = ${app}
      and (${cursor}::text is null or (e.created_at, e.id) < (c.created_at, c.id))
    order by e.created_at desc, e.id desc
    limit ${limit}`);

const deliveryRow = z.object({
  id: z.string(),
  endpoint_id: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  status: z.enum(['pending', 'delivered', 'failed', 'cancelled']),
  attempts: z.number(),
  response_status: z.number().nullable(),
  error: z.string().nullable(),
  next_attempt_at: z.string().nullable(),
  created_at: z.string(),
  completed_at: z.string().nullable(),
});

/** A delivery as its app sees it; one under way is pending. */
export type Delivery = z.infer<typeof deliveryRow>;

const deliveryColumns = sql.fragment`
  d.id, d.endpoint_id, d.event_id, v.type as event_type, d.attempts, d.response_status, d.error, d.created_at,
  case d.state when 'sending' then 'pending' else d.state end as status,
  case d.state when 'pending' then d.due_at end as next_attempt_at,
  d.ended_at as completed_at`;

/** Deliveries to an endpoint of this app, newest first, from behind `cursor` on. */
export const listDeliveries = (
  db: Db,
  app: string,
  endpointId: string,
  page: { cursor: string | null; limit: number },
): Promise<readonly Delivery[]> =>
  db.any(sql.prepared(`list_webhook_deliveries${page.cursor === null ? '' : '_behind'}`, deliveryRow)`
    select ${deliveryColumns}
    from webhook_deliveries d
    join events v on v.id = d.event_id
    where d.endpoint_id = ${endpointId}
      and d.app = ${app}${
        page.cursor === null
          ? sql.fragment``
          : sql.fragment`
      and d.id < ${page.cursor}`
      }
    order by d.id desc
    limit ${page.limit}`);

/** A delivery of this app, or null. */
export const findDelivery = (db: Db, app: string, deliveryId: string): Promise<Delivery | null> =>
  db.maybeOne(sql.prepared('find_webhook_delivery', deliveryRow)`
    select ${deliveryColumns}
    from webhook_deliveries d
    join events v on v.id = d.event_id
    where d.id = ${deliveryId} and d.app = ${app}`);

const attemptRow = z.object({
  n: z.number(),
  started_at: z.string(),
  duration_ms: z.number(),
  response_status: z.number().nullable(),
  error: z.string().nullable(),
  answer: z.string().nullable(),
});

/** Every attempt at a delivery of this app, in order. */
export const listAttempts = (db: Db, app: string, deliveryId: string): Promise<readonly z.infer<typeof attemptRow>[]> =>
  db.any(sql.prepared('list_webhook_attempts', attemptRow)`
    select a.n, a.started_at, a.duration_ms, a.response_status, a.error, a.answer
    from webhook_attempts a
    join webhook_deliveries d on d.id = a.delivery_id
    where a.delivery_id = ${deliveryId} and d.app = ${app}
    order by a.n`);
