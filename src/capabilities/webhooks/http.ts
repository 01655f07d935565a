import type { Webhooks } from '../../adapters/webhook/types.ts';
import type { OperationId } from '../../contract/document.ts';
import { namesIn } from '../../contract/events.ts';
import type { Call, Handler } from '../../contract/handler.ts';
import type { Db } from '../../db/pool.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { OwnerId } from '../../kernel/ids.ts';
import { listPage } from '../../kernel/pages.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { budgetOf } from '../../kernel/throttles.ts';
import { changeEndpoint, createEndpoint, recoverEndpoint, redeliver, rotateSecret, testEndpoint } from './commands.ts';
import { findDelivery, getEventOfDelivery, listAttempts, listDeliveries } from './deliveries/queries.ts';
import { findEndpoint, listEndpoints } from './queries.ts';
import { unknownEvents } from './rules.ts';
import { newSecret } from './secrets.ts';

type Deps = { db: Db; sealer: Sealer; webhooks: Webhooks };

/** A handler of an operation that apps and partners have alike, each at its own path (see partners/http.ts). */
type Shared<Op extends OperationId> = (call: Omit<Call<Op, Deps>, 'operation'>) => ReturnType<Handler<Op, Deps>>;

/** The root of the caller's paths, and the events it may subscribe to. */
const sideOf = ({ kind }: Principal) =>
  kind === 'partner' ? { root: '/v1', names: namesIn('partner') } : { root: '/v2', names: namesIn('app') };

const DEFAULT_OVERLAP_S = 86_400;
const NO_STORE = { 'Cache-Control': 'no-store' }; // these responses contain a secret

/** Handles `POST /v2/webhook-endpoints`: register a webhook endpoint. */
export const createWebhookEndpoint: Shared<'createWebhookEndpoint'> = async (call) => {
  const { deps, principal, body, commit } = call;
  rejectUnknownEvents(principal, body.events);
  await rejectForbiddenUrl(deps, body.url);
  await call.throttle(budgetOf('webhook_endpoints', principal.owner));
  const secret = newSecret(deps.sealer);
  const terms = { url: body.url, events: body.events, description: body.description ?? null };
  return commit(async (db) => {
    const id = await createEndpoint(db, principal, terms, secret);
    const endpoint = await getEndpoint({ db }, principal.owner, id);
    return { status: 200, body: { ...endpoint, secret: secret.secret }, headers: NO_STORE };
  });
};

/** Handles `GET /v2/webhook-endpoints`: list the owner's webhook endpoints. */
export const listWebhookEndpoints: Shared<'listWebhookEndpoints'> = ({ deps, principal, query }) => {
  const isKnown = async (id: string) => (await findEndpoint(deps.db, principal.owner, id)) !== null;
  return listPage(
    query,
    { path: `${sideOf(principal).root}/webhook-endpoints`, cursorOf: ({ id }) => id, isKnown },
    (page) => listEndpoints(deps.db, principal.owner, page),
  );
};

/** Handles `PATCH /v2/webhook-endpoints/{endpoint_id}`: change a webhook endpoint. */
export const updateWebhookEndpoint: Shared<'updateWebhookEndpoint'> = async ({
  deps,
  principal,
  path,
  body,
  commit,
}) => {
  if (body.events) rejectUnknownEvents(principal, body.events);
  const { url } = await getEndpoint(deps, principal.owner, path.endpoint_id);
  if (body.url !== undefined || body.active) await rejectForbiddenUrl(deps, body.url ?? url);
  return commit(async (db) => {
    await changeEndpoint(db, principal, path.endpoint_id, body);
    return { status: 200, body: await getEndpoint({ db }, principal.owner, path.endpoint_id) };
  });
};

/** Handles `DELETE /v2/webhook-endpoints/{endpoint_id}`: deactivate a webhook endpoint. */
export const deactivateWebhookEndpoint: Shared<'deactivateWebhookEndpoint'> = ({ principal, path, commit }) =>
  commit(async (db) => {
    await changeEndpoint(db, principal, path.endpoint_id, { active: false });
    return { status: 200, body: { deactivated: true } };
  });

/** Handles `POST /v2/webhook-endpoints/{endpoint_id}/rotate-secret`: replace the signing secret. */
export const rotateWebhookSecret: Shared<'rotateWebhookSecret'> = ({ deps, principal, path, body, commit }) => {
  const secret = newSecret(deps.sealer);
  const overlapS = body?.overlap_seconds ?? DEFAULT_OVERLAP_S;
  return commit(async (db) => {
    const until = await rotateSecret(db, principal, path.endpoint_id, { secret, overlapS });
    return {
      status: 200,
      body: { id: path.endpoint_id, secret: secret.secret, previous_secret_expires_at: until },
      headers: NO_STORE,
    };
  });
};

/** Handles `POST /v2/webhook-endpoints/{endpoint_id}/test`: send a test event to one endpoint. */
export const testWebhookEndpoint: Shared<'testWebhookEndpoint'> = async ({ deps, principal, path, commit }) => {
  const { url } = await getEndpoint(deps, principal.owner, path.endpoint_id);
  await rejectForbiddenUrl(deps, url);
  return commit(async (db) => ({ status: 200, body: await testEndpoint(db, principal.owner, path.endpoint_id) }));
};

/** Handles `GET /v2/webhook-endpoints/{endpoint_id}/deliveries`: list deliveries to an endpoint. */
export const listWebhookDeliveries: Shared<'listWebhookDeliveries'> = async ({ deps, principal, path, query }) => {
  await getEndpoint(deps, principal.owner, path.endpoint_id);
  const isKnown = async (id: string) =>
    (await findDelivery(deps.db, principal.owner, id))?.endpoint_id === path.endpoint_id;
  const here = `${sideOf(principal).root}/webhook-endpoints/${path.endpoint_id}/deliveries`;
  return listPage(query, { path: here, cursorOf: ({ id }) => id, isKnown }, (page) =>
    listDeliveries(deps.db, principal.owner, path.endpoint_id, { ...page, status: query.status, type: query.type }),
  );
};

/** Handles `POST /v2/webhook-endpoints/{endpoint_id}/recover`: send missed events again. */
export const recoverWebhookEndpoint: Shared<'recoverWebhookEndpoint'> = ({ principal, path, body, commit }) =>
  commit(async (db) => ({
    status: 200,
    body: await recoverEndpoint(db, principal.owner, path.endpoint_id, body.since),
  }));

/** Handles `GET /v2/webhook-deliveries/{delivery_id}`: read a delivery with its attempts. */
export const getWebhookDelivery: Shared<'getWebhookDelivery'> = async ({ deps, principal, path }) => {
  const delivery = await getDelivery(deps, principal.owner, path.delivery_id);
  const attemptLog = await listAttempts(deps.db, principal.owner, path.delivery_id);
  const event = await getEventOfDelivery(deps.db, principal.owner, path.delivery_id);
  return { status: 200, body: { ...delivery, event, attempt_log: [...attemptLog] } };
};

/** Handles `POST /v2/webhook-deliveries/{delivery_id}/redeliver`: send a delivery again. */
export const redeliverWebhook: Shared<'redeliverWebhook'> = ({ principal, path, commit }) =>
  commit(async (db) => ({ status: 200, body: await redeliver(db, principal.owner, path.delivery_id) }));

function rejectUnknownEvents(principal: Principal, names: string[]): void {
  const unknown = unknownEvents(names, sideOf(principal).names);
  if (unknown.length > 0) throw new ApiError('V1_WEBHOOK_UNKNOWN_EVENT', { message: `Unknown: ${unknown.join(', ')}` });
}

/**
 * Throws V1_WEBHOOK_URL_FORBIDDEN for a forbidden URL. A host name without an address passes: it may get one later, and
 * the check at the connection is what protects.
 */
async function rejectForbiddenUrl({ webhooks }: Deps, url: string): Promise<void> {
  const judged = await webhooks.judge(url);
  if (judged.kind === 'forbidden') throw new ApiError('V1_WEBHOOK_URL_FORBIDDEN', { reason: judged.why });
}

async function getEndpoint({ db }: Pick<Deps, 'db'>, owner: OwnerId, endpointId: string) {
  const endpoint = await findEndpoint(db, owner, endpointId);
  if (!endpoint) throw new ApiError('V1_WEBHOOK_ENDPOINT_UNKNOWN');
  return endpoint;
}

async function getDelivery({ db }: Deps, owner: OwnerId, deliveryId: string) {
  const delivery = await findDelivery(db, owner, deliveryId);
  if (!delivery) throw new ApiError('V1_WEBHOOK_DELIVERY_UNKNOWN');
  return delivery;
}
