import type { Handler } from '../../edge/handler.ts';
import { itemsOf } from '../../kernel/pages.ts';
import { operatorName } from '../../kernel/principal.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { retryAnyDelivery } from './intents.ts';
import { findAnyDelivery, listTroubled } from './queries.ts';

const DEFAULT_PAGE = 50;

export const listTroubledDeliveries: Handler<'listTroubledDeliveries'> = async ({ runtime, query }) => {
  const { state = 'failed', app_id, cursor = null, limit = DEFAULT_PAGE } = query;
  const found = await listTroubled(runtime.db, { state, appId: app_id ?? null, cursor, limit: limit + 1 });
  const asked = { state, app_id };
  return itemsOf(found, { path: '/v2/admin/deliveries', limit, asked, cursorOf: ({ delivery_id }) => delivery_id });
};

export const retryDelivery: Handler<'retryDelivery'> = async ({ runtime, principal, path, body }) => {
  await retryAnyDelivery(runtime.db, path.delivery_id, operatorName(principal), body.reason);
  const delivery = await findAnyDelivery(runtime.db, path.delivery_id);
  if (!delivery) throw new Refusal('V2_WEBHOOK_DELIVERY_UNKNOWN');
  return { status: 200, body: delivery };
};
