import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

const deliveryRow = z.object({
  delivery_id: z.string(),
  app_id: z.string(),
  endpoint_id: z.string(),
  url: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  state: z.enum(['pending', 'sending', 'delivered', 'failed', 'cancelled']),
  attempts: z.number(),
  response_status: z.number().nullable(),
  error: z.string().nullable(),
  due_at: z.string(),
  ended_at: z.string().nullable(),
});

/** A delivery as operators see it; its address without what a query may hold. */
export type TroubledDelivery = z.infer<typeof deliveryRow>;

const deliveryColumns = sql.fragment`
  d.delivery_id, d.app_id, d.endpoint_id, d.url, d.event_id, d.event_type, d.state, d.attempts, d.response_status, d.error,
  d.due_at, d.ended_at`;

/** Written out, so that each is seen to fit a partial index whatever plan is made. */
const states = {
  pending: sql.fragment`d.state = 'pending'`,
  sending: sql.fragment`d.state = 'sending'`,
  failed: sql.fragment`d.state = 'failed'`,
  cancelled: sql.fragment`d.state = 'cancelled'`,
};

type Wanted = { state: keyof typeof states; appId: string | null; cursor: string | null; limit: number };

/** Deliveries of a state, of one app or of all, newest first, from behind `cursor` on. */
export const listTroubled = (db: Db, { state, appId, cursor, limit }: Wanted): Promise<readonly TroubledDelivery[]> =>
  db.any(sql.type(deliveryRow)`
    select ${deliveryColumns}
    from ops.deliveries d
    where ${states[state]}
      and (${appId}::text is null or d.app_id = ${appId})
      and (${cursor}::text is null or d.delivery_id < ${cursor})
    order by d.delivery_id desc
    limit ${limit}`);

/** A delivery of any app, or null. */
export const findAnyDelivery = (db: Db, deliveryId: string): Promise<TroubledDelivery | null> =>
  db.maybeOne(sql.type(deliveryRow)`
    select ${deliveryColumns}
    from ops.deliveries d
    where d.delivery_id = ${deliveryId}`);
