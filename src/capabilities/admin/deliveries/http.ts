import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { listPage } from '../../../kernel/pages.ts';
import { requirePeriod } from '../../../kernel/period.ts';
import { operatorName } from '../../../kernel/principal.ts';
import { retryAnyDelivery } from './commands.ts';
import { findAnyDelivery, listByState, type TroubledDelivery } from './queries.ts';

type Deps = { db: Db };

/** Handles `GET /v2/admin/deliveries`: list webhook deliveries of every app by state. */
export const listTroubledDeliveries: Handler<'listTroubledDeliveries', Deps> = ({ deps, query }) => {
  const { state = 'failed', app_id: appId = null, event_type: eventType = null, from = null, to = null } = query;
  if (eventType !== null && appId === null)
    throw new ApiError('INVALID_REQUEST', { message: 'event_type needs app_id.' });
  const isKnown = async (id: string) => (await findAnyDelivery(deps.db, id)) !== null;
  const shown = { path: '/v2/admin/deliveries', cursorOf: (row: TroubledDelivery) => row.delivery_id, isKnown };
  requirePeriod(query);
  return listPage(query, shown, (page) => listByState(deps.db, state, { appId, eventType, from, to, ...page }));
};

/** Handles `POST /v2/admin/deliveries/{delivery_id}/retry`: send a delivery again. */
export const retryDelivery: Handler<'retryDelivery', Deps> = ({ principal, path, body, commit }) =>
  commit(async (db) => {
    await retryAnyDelivery(db, path.delivery_id, operatorName(principal), body.reason);
    const delivery = await findAnyDelivery(db, path.delivery_id);
    if (!delivery) throw new ApiError('V2_WEBHOOK_DELIVERY_UNKNOWN');
    return { status: 200, body: delivery };
  });
