import type { Call, Handler } from '../edge/handler.ts';
import { pageOf } from '../kernel/pages.ts';
import { Refusal } from '../kernel/refusals.ts';
import { changeEndpoint, createEndpoint, recoverEndpoint, redeliver, rotateSecret, testEndpoint } from './intents.ts';
import { findDelivery, findEndpoint, listAttempts, listDeliveries, listEndpoints } from './queries.ts';
import { unknownEvents } from './rules.ts';
import { newSecret } from './secrets.ts';

const ENDPOINTS_PAGE = 200;
const DELIVERIES_PAGE = 50;
const DEFAULT_OVERLAP_S = 86_400;
const NO_STORE = { 'Cache-Control': 'no-store' }; // these answers show a secret

export const createWebhookEndpoint: Handler<'createWebhookEndpoint'> = async ({ runtime, principal, body }) => {
  refuseUnknownEvents(body.events);
  await refuseForbiddenUrl(runtime, body.url);
  const secret = newSecret(runtime.sealer);
  const terms = { url: body.url, events: body.events, description: body.description ?? null };
  const id = await createEndpoint(runtime.db, principal.owner, terms, secret);
  const endpoint = await getEndpoint(runtime, principal.owner, id);
  return { status: 200, body: { ...endpoint, secret: secret.secret }, headers: NO_STORE };
};

export const listWebhookEndpoints: Handler<'listWebhookEndpoints'> = async ({ runtime, principal, query }) => {
  const { cursor = null, limit = ENDPOINTS_PAGE } = query;
  const found = await listEndpoints(runtime.db, principal.owner, cursor, limit + 1);
  return pageOf(found, { path: '/v2/webhook-endpoints', cursor: 'cursor', limit });
};

export const updateWebhookEndpoint: Handler<'updateWebhookEndpoint'> = async ({ runtime, principal, path, body }) => {
  if (body.events) refuseUnknownEvents(body.events);
  const { url } = await getEndpoint(runtime, principal.owner, path.endpoint_id);
  if (body.url !== undefined || body.active) await refuseForbiddenUrl(runtime, body.url ?? url);
  await changeEndpoint(runtime.db, principal.owner, path.endpoint_id, body);
  return { status: 200, body: await getEndpoint(runtime, principal.owner, path.endpoint_id) };
};

export const deactivateWebhookEndpoint: Handler<'deactivateWebhookEndpoint'> = async ({ runtime, principal, path }) => {
  await changeEndpoint(runtime.db, principal.owner, path.endpoint_id, { active: false });
  return { status: 200, body: { deactivated: true } };
};

export const rotateWebhookSecret: Handler<'rotateWebhookSecret'> = async ({ runtime, principal, path, body }) => {
  const secret = newSecret(runtime.sealer);
  const overlapS = body?.overlap_seconds ?? DEFAULT_OVERLAP_S;
  const until = await rotateSecret(runtime.db, principal.owner, path.endpoint_id, { secret, overlapS });
  return {
    status: 200,
    body: { id: path.endpoint_id, secret: secret.secret, previous_secret_expires_at: until },
    headers: NO_STORE,
  };
};

export const testWebhookEndpoint: Handler<'testWebhookEndpoint'> = async ({ runtime, principal, path }) => {
  const { url } = await getEndpoint(runtime, principal.owner, path.endpoint_id);
  await refuseForbiddenUrl(runtime, url);
  const delivery = await testEndpoint(runtime.db, principal.owner, path.endpoint_id);
  return { status: 200, body: await getDelivery(runtime, principal.owner, delivery) };
};

export const listWebhookDeliveries: Handler<'listWebhookDeliveries'> = async ({ runtime, principal, path, query }) => {
  await getEndpoint(runtime, principal.owner, path.endpoint_id);
  const { cursor = null, limit = DELIVERIES_PAGE } = query;
  const page = { cursor, limit: limit + 1 };
  const found = await listDeliveries(runtime.db, principal.owner, path.endpoint_id, page);
  const here = `/v2/webhook-endpoints/${path.endpoint_id}/deliveries`;
  return pageOf(found, { path: here, cursor: 'cursor', limit });
};

export const recoverWebhookEndpoint: Handler<'recoverWebhookEndpoint'> = async ({ runtime, principal, path, body }) => {
  const queued = await recoverEndpoint(runtime.db, principal.owner, path.endpoint_id, body.since);
  return { status: 200, body: { queued, since: body.since } };
};

export const getWebhookDelivery: Handler<'getWebhookDelivery'> = async ({ runtime, principal, path }) => {
  const delivery = await getDelivery(runtime, principal.owner, path.delivery_id);
  const attemptLog = await listAttempts(runtime.db, principal.owner, path.delivery_id);
  return { status: 200, body: { ...delivery, attempt_log: [...attemptLog] } };
};

export const redeliverWebhook: Handler<'redeliverWebhook'> = async ({ runtime, principal, path }) => {
  await redeliver(runtime.db, principal.owner, path.delivery_id);
  return { status: 200, body: await getDelivery(runtime, principal.owner, path.delivery_id) };
};

type Runtime = Call['runtime'];

function refuseUnknownEvents(names: string[]): void {
  const unknown = unknownEvents(names);
  if (unknown.length > 0) throw new Refusal('V2_WEBHOOK_UNKNOWN_EVENT', { message: `Unknown: ${unknown.join(', ')}` });
}

/** A name without an address is let through: what protects is the check at the connection, and names may come later. */
async function refuseForbiddenUrl({ webhooks }: Runtime, url: string): Promise<void> {
  const judged = await webhooks.judge(url);
  if (judged.kind === 'forbidden') throw new Refusal('V2_WEBHOOK_URL_FORBIDDEN', { reason: judged.why });
}

async function getEndpoint({ db }: Runtime, app: string, endpointId: string) {
  const endpoint = await findEndpoint(db, app, endpointId);
  if (!endpoint) throw new Refusal('V2_WEBHOOK_ENDPOINT_UNKNOWN');
  return endpoint;
}

async function getDelivery({ db }: Runtime, app: string, deliveryId: string) {
  const delivery = await findDelivery(db, app, deliveryId);
  if (!delivery) throw new Refusal('V2_WEBHOOK_DELIVERY_UNKNOWN');
  return delivery;
}
