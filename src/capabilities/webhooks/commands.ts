import { type DatabaseTransactionConnection, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newId, type OwnerId } from '../../kernel/ids.ts';
import { credentialId, type Principal } from '../../kernel/principal.ts';
import { type Delivery, findDelivery } from './deliveries/queries.ts';
import type { NewSecret } from './secrets.ts';

const MOST_ENDPOINTS = 50; // active at once for one app or partner: every event is stored once for each of them
const RECOVERED_AT_ONCE = 10_000;
const RECOVERED_PER_S = 50;
const RECOVERY_PAUSE_S = 60;

/** The members of an endpoint that an owner sets. */
export type EndpointTerms = { url: string; events: string[]; description: string | null };

const made = z.object({ id: z.string() });

/**
 * The credentials of a call as JSON for the column `credentials`: what it sets or is shown ends with them if they are stolen. Locks them. Throws
 * V1_KEY_INVALID or V2_TOKEN_INVALID if they have ended meanwhile.
 */
async function useCredentials(tx: DatabaseTransactionConnection, by: Principal): Promise<string> {
  const used = await tx.oneFirst(sql.prepared('use_credentials', z.object({ used: z.string().nullable() }))`
    select use_credentials(${credentialId(by)})::text as used`);
  if (used === null) throw new ApiError(by.kind === 'partner' ? 'V1_KEY_INVALID' : 'V2_TOKEN_INVALID');
  return used;
}

/**
 * Creates an endpoint with its first secret. Throws V1_WEBHOOK_TOO_MANY if the owner has reached its limit of active
 * endpoints.
 */
export async function createEndpoint(db: Db, by: Principal, terms: EndpointTerms, secret: NewSecret): Promise<string> {
  const { owner } = by;
  return db.transaction(async (tx) => {
    await lockOwner(tx, owner);
    const used = await useCredentials(tx, by);
    await lockLog(tx, owner);
    const { id } = await tx.one(sql.prepared('create_webhook_endpoint', made)`
      with endpoint as (
        insert into webhook_endpoints (id, owner, url, events, description, credentials)
        values (${newId('whe')}, ${owner}, ${terms.url}, ${sql.array(terms.events, 'text')}, ${terms.description}, ${used}::jsonb)
        returning id
      ), secret as (
        insert into webhook_secrets (id, endpoint_id, sealed)
        select ${secret.id}, e.id, ${sql.binary(secret.sealed)}
        from endpoint e
      )
      select id
      from endpoint`);
    await requireBelowLimit(tx, owner);
    return id;
  });
}

/** Locks the owner, so that until the transaction ends no other transaction adds an active endpoint to it. */
const lockOwner = (tx: DatabaseTransactionConnection, owner: OwnerId) =>
  tx.query(sql.prepared('lock_webhook_owner', made)`
    with app as (
      select id from apps where id = ${owner} for no key update
    ), partner as (
      select id from partners where id = ${owner} for no key update
    )
    select id from app
    union all
    select id from partner`);

/**
 * Locks the owner's event log until the transaction ends. So who begins to receive events gets each that could not be read in the log by then, and
 * has none to look for between the two.
 */
const lockLog = (tx: DatabaseTransactionConnection, owner: OwnerId) =>
  tx.query(sql.prepared('lock_event_log', z.object({ done: z.unknown() }))`select lock_event_log(${owner})::text done`);

/** Throws V1_WEBHOOK_TOO_MANY, which rolls back, if the owner has more active endpoints than its limit. */
async function requireBelowLimit(tx: DatabaseTransactionConnection, owner: OwnerId): Promise<void> {
  const active = await tx.oneFirst(sql.prepared('count_webhook_endpoints', z.object({ count: z.number() }))`
    select count(*)
    from webhook_endpoints e
    where e.owner = ${owner} and e.active`);
  if (active > MOST_ENDPOINTS) throw new ApiError('V1_WEBHOOK_TOO_MANY');
}

/** Changes to an endpoint; omitted members stay. */
export type EndpointChanges = Partial<EndpointTerms> & { active?: boolean };

/**
 * Changes an endpoint. Activating it, and another URL, reset its failure count; deliveries it missed need a recovery. Deactivating it
 * cancels its pending deliveries, 1,000 at once. Throws V1_WEBHOOK_ENDPOINT_UNKNOWN, and V1_WEBHOOK_TOO_MANY above the owner's limit of
 * active endpoints.
 */
export async function changeEndpoint(
  db: Db,
  by: Principal,
  endpointId: string,
  changes: EndpointChanges,
): Promise<void> {
  const { owner } = by;
  const { url = null, events, description, active } = changes;
  await db.transaction(async (tx) => {
    if (active === true) await lockOwner(tx, owner);
    const live = url === null && active !== true ? '{}' : await useCredentials(tx, by);
    const used = url === null ? '{}' : live; // activating it sets nothing, but takes live credentials
    if (active === true || events) await lockLog(tx, owner);
    const { rowCount } = await tx.query(sql.prepared('change_webhook_endpoint', made)`
      update webhook_endpoints e
      set url = coalesce(${url}, e.url),
        credentials = e.credentials || ${used}::jsonb,
        events = case when ${events !== undefined} then ${sql.array(events ?? [], 'text')} else e.events end,
        description = case when ${description !== undefined} then ${description ?? null} else e.description end,
        failing_since = case
          when (${active === true} and not e.active) or e.url <> coalesce(${url}, e.url) then null
          else e.failing_since
        end,
        deactivated_because = case when ${active === true} then null else e.deactivated_because end,
        active = e.active or ${active === true},
        updated_at = now()
      where e.id = ${endpointId} and e.owner = ${owner}`);
    if (rowCount === 0) throw new ApiError('V1_WEBHOOK_ENDPOINT_UNKNOWN');
    if (active === true) await requireBelowLimit(tx, owner);
    if (active === false) await tx.query(deactivation(endpointId));
  });
}

const deactivation = (endpointId: string) =>
  sql.prepared('deactivate_webhook_endpoint', z.object({ done: z.boolean() }))`
    select deactivate_endpoint(${endpointId}, 'asked') done`;

/**
 * Replaces the secret. For `overlapS` seconds deliveries are signed with both secrets; returns the end of that time.
 * Throws V1_WEBHOOK_ENDPOINT_UNKNOWN.
 */
export async function rotateSecret(
  db: Db,
  by: Principal,
  endpointId: string,
  { secret, overlapS }: { secret: NewSecret; overlapS: number },
): Promise<string> {
  return db.transaction(async (tx) => {
    const used = await useCredentials(tx, by);
    const until = await tx.oneFirst(sql.prepared('rotate_webhook_secret', z.object({ until: z.string().nullable() }))`
      select rotate_webhook_secret(
        ${by.owner}, ${endpointId}, ${secret.id}, ${sql.binary(secret.sealed)}, ${overlapS}, ${used}::jsonb
      ) until`);
    if (until === null) throw new ApiError('V1_WEBHOOK_ENDPOINT_UNKNOWN');
    return until;
  });
}

/**
 * Queues an event of type `webhook.test` for this endpoint only; returns the delivery as queued. Throws
 * V1_WEBHOOK_INACTIVE for an inactive endpoint.
 */
export const testEndpoint = (db: Db, owner: OwnerId, endpointId: string): Promise<Delivery> =>
  db.transaction(async (tx) => {
    const delivery = await tx.oneFirst(sql.prepared('test_webhook_endpoint', z.object({ id: z.string().nullable() }))`
      select test_endpoint(${owner}, ${endpointId}) id`);
    if (delivery === null) throw new ApiError('V1_WEBHOOK_INACTIVE');
    return queuedDelivery(tx, owner, delivery);
  });

const errorCodes = {
  unknown: 'V1_WEBHOOK_DELIVERY_UNKNOWN',
  inactive: 'V1_WEBHOOK_INACTIVE',
} as const;

/**
 * Queues a delivery again under its id, from the start of the retry schedule; returns it as queued. Throws
 * V1_WEBHOOK_DELIVERY_UNKNOWN or V1_WEBHOOK_INACTIVE.
 */
export const redeliver = (db: Db, owner: OwnerId, deliveryId: string): Promise<Delivery> =>
  db.transaction(async (tx) => {
    const verdict = await tx.oneFirst(
      sql.prepared('redeliver_webhook', z.object({ verdict: z.enum(['queued', 'unknown', 'inactive']) }))`
      select redeliver(${owner}, ${deliveryId}) verdict`,
    );
    if (verdict !== 'queued') throw new ApiError(errorCodes[verdict]);
    return queuedDelivery(tx, owner, deliveryId);
  });

/** The delivery as this transaction queued it: read before it commits, so before a worker can send it. */
async function queuedDelivery(tx: DatabaseTransactionConnection, owner: OwnerId, id: string): Promise<Delivery> {
  const delivery = await findDelivery(tx, owner, id);
  if (!delivery) throw new ApiError('V1_WEBHOOK_DELIVERY_UNKNOWN');
  return delivery;
}

const recovered = z.object({
  verdict: z.enum(['queued', 'unknown', 'inactive', 'too_soon']),
  queued: z.number(),
  later: z.string().nullable(),
});

/**
 * Queues again what an endpoint missed since a time, spread out so that a receiver that has just recovered is not
 * overloaded. Returns the number queued, at most 10,000, oldest first, and since when: later, if events since then are no longer kept. The next call
 * may follow after 60 s. Throws V1_WEBHOOK_ENDPOINT_UNKNOWN, V1_WEBHOOK_INACTIVE or V1_WEBHOOK_RECOVERY_PAUSED.
 */
export async function recoverEndpoint(db: Db, owner: OwnerId, endpointId: string, since: string) {
  const { verdict, queued, later } = await db.one(sql.prepared('recover_webhook_endpoint', recovered)`
    select verdict, queued, nullif(whole_since(${owner}, ${since}), ${since}) as later
    from recover_endpoint(${owner}, ${endpointId}, ${since}, ${RECOVERED_AT_ONCE}, ${RECOVERED_PER_S}, ${RECOVERY_PAUSE_S})`);
  if (verdict === 'unknown') throw new ApiError('V1_WEBHOOK_ENDPOINT_UNKNOWN');
  if (verdict === 'inactive') throw new ApiError('V1_WEBHOOK_INACTIVE');
  if (verdict === 'too_soon')
    throw new ApiError('V1_WEBHOOK_RECOVERY_PAUSED', { retryAfterS: await recoveryPauseS(db, owner, endpointId) });
  return { queued, since: later ?? since };
}

/** How long until an endpoint may be recovered again, in whole seconds: at least 1. */
const recoveryPauseS = async (db: Db, owner: OwnerId, endpointId: string): Promise<number> =>
  (await db.maybeOneFirst(sql.prepared('webhook_recovery_pause', z.object({ seconds: z.number() }))`
    select greatest(1, ceil(${RECOVERY_PAUSE_S} - extract(epoch from now() - e.recovered_at)))::integer seconds
    from webhook_endpoints e
    where e.id = ${endpointId} and e.owner = ${owner}`)) ?? RECOVERY_PAUSE_S; // it may have been deleted meanwhile
