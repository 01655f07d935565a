import { sql } from 'slonik';
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

/** Written out as literals, so that any plan can use the matching partial index. */
const states = {
  pending: sql.fragment`d.state = 'pending'`,
  sending: sql.fragment`d.state = 'sending'`,
  failed: sql.fragment`d.state = 'failed'`,
  cancelled: sql.fragment`d.state = 'cancelled'`,
};

type Filter = PageRequest & { state: keyof typeof states; appId: AppId | null };

/** Deliveries in a state, of one app or (null) of all, newest first, after `cursor`. */
export const listTroubled = (db: Db, { state, appId, cursor, limit }: Filter): Promise<readonly TroubledDelivery[]> =>
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
