import type { Db } from '../../db/pool.ts';
import type { Handler } from '../../edge/handler.ts';
import { ApiError } from '../../kernel/errors.ts';
import { itemsOf } from '../../kernel/pages.ts';
import { operatorName } from '../../kernel/principal.ts';
import { retryAnyDelivery } from './commands.ts';
import { findAnyDelivery, listTroubled } from './queries.ts';

type Deps = { db: Db };

const DEFAULT_PAGE = 50;

/** Handles `GET /v2/admin/deliveries`: list webhook deliveries of every app by state. */
export const listTroubledDeliveries: Handler<'listTroubledDeliveries', Deps> = async ({ deps, query }) => {
  const { state = 'failed', app_id, cursor = null, limit = DEFAULT_PAGE } = query;
  const found = await listTroubled(deps.db, { state, appId: app_id ?? null, cursor, limit: limit + 1 });
  const asked = { state, app_id };
  return itemsOf(found, { path: '/v2/admin/deliveries', limit, asked, cursorOf: ({ delivery_id }) => delivery_id });
};

/** Handles `POST /v2/admin/deliveries/{delivery_id}/retry`: send a delivery again. */
export const retryDelivery: Handler<'retryDelivery', Deps> = ({ principal, path, body, commit }) =>
  commit(async (db) => {
    await retryAnyDelivery(db, path.delivery_id, operatorName(principal), body.reason);
    const delivery = await findAnyDelivery(db, path.delivery_id);
    if (!delivery) throw new ApiError('V2_WEBHOOK_DELIVERY_UNKNOWN');
    return { status: 200, body: delivery };
  });
