import { type DatabaseTransactionConnection, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { newId } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusals.ts';
import type { NewSecret } from './secrets.ts';

const MOST_ENDPOINTS = 50; // active at once for one app: every event is written once for each of them
const RECOVERED_AT_ONCE = 10_000;
const RECOVERED_PER_S = 50;
const RECOVERY_PAUSE_S = 60;

/** What an app says of an endpoint. */
export type EndpointTerms = { url: string; events: string[]; description: string | null };

const made = z.object({ id: z.string() });

/** Writes an endpoint with its first secret. Refuses more than an app may have. */
export async function createEndpoint(db: Db, app: string, terms: EndpointTerms, secret: NewSecret): Promise<string> {
  return db.transaction(async (tx) => {
    await lockApp(tx, app);
    const { id } = await tx.one(sql.prepared('create_webhook_endpoint', made)`
      with endpoint as (
        insert into webhook_endpoints (id, app, url, events, description)
        values (${newId('whe')}, ${app}, ${terms.url}, ${sql.array(terms.events, 'text')}, ${terms.description})
        returning id
      ), secret as (
        insert into webhook_secrets (id, endpoint_id, sealed)
        select ${secret.id}, e.id, ${sql.binary(secret.sealed)}
        from endpoint e
      )
      select id
      from endpoint`);
    await refuseTooMany(tx, app);
    return id;
  });
}

/** Until the transaction ends nobody else gives the app an active endpoint. */
const lockApp = (tx: DatabaseTransactionConnection, app: string) =>
  tx.query(sql.prepared('lock_app', made)`select id from apps where id = ${app} for no key update`);

/** Takes back what gave an app more active endpoints than it may have. */
async function refuseTooMany(tx: DatabaseTransactionConnection, app: string): Promise<void> {
  const active = await tx.oneFirst(sql.prepared('count_webhook_endpoints', z.object({ count: z.number() }))`
    select count(*)
    from webhook_endpoints e
    where e.app = ${app} and e.active`);
  if (active > MOST_ENDPOINTS) throw new Refusal('V2_WEBHOOK_TOO_MANY');
}

/** What may change of an endpoint; what is left out stays. */
export type EndpointChanges = Partial<EndpointTerms> & { active?: boolean };

/**
 * Changes an endpoint. Activated again it counts its failures anew, and what it missed meanwhile is left to a recovery;
 * deactivated, what waits for it is cancelled. Refuses more active ones than an app may have.
 */
export async function changeEndpoint(db: Db, app: string, endpointId: string, changes: EndpointChanges): Promise<void> {
  const { url = null, events, description, active } = changes;
  await db.transaction(async (tx) => {
    if (active === true) await lockApp(tx, app);
    const { rowCount } = await tx.query(sql.prepared('change_webhook_endpoint', made)`
      update webhook_endpoints e
      set url = coalesce(${url}, e.url),
        events = case when ${events !== undefined} then ${sql.array(events ?? [], 'text')} else e.events end,
        description = case when ${description !== undefined} then ${description ?? null} else e.description end,
        failing_since = case when ${active === true} and not e.active then null else e.failing_since end,
        deactivated_because = case when ${active === true} then null else e.deactivated_because end,
        active = e.active or ${active === true},
        updated_at = now()
      where e.id = ${endpointId} and e.app = ${app}`);
    if (rowCount === 0) throw new Refusal('V2_WEBHOOK_ENDPOINT_UNKNOWN');
    if (active === true) await refuseTooMany(tx, app);
    if (active === false) await tx.query(deactivating(endpointId));
  });
}

const deactivating = (endpointId: string) =>
  sql.prepared('deactivate_webhook_endpoint', z.object({ done: z.boolean() }))`
    select deactivate_endpoint(${endpointId}, 'asked') done`;

/** Replaces the secret. The old one goes on signing beside the new one for `overlapS` seconds; answers until when. */
export async function rotateSecret(
  db: Db,
  app: string,
  endpointId: string,
  { secret, overlapS }: { secret: NewSecret; overlapS: number },
): Promise<string> {
  const until = await db.oneFirst(sql.prepared('rotate_webhook_secret', z.object({ until: z.string().nullable() }))`
    select rotate_webhook_secret(${app}, ${endpointId}, ${secret.id}, ${sql.binary(secret.sealed)}, ${overlapS}) until`);
  if (until === null) throw new Refusal('V2_WEBHOOK_ENDPOINT_UNKNOWN');
  return until;
}

/** Queues an event of type `webhook.test` for this endpoint alone; answers the delivery's id. Refuses an inactive endpoint. */
export async function testEndpoint(db: Db, app: string, endpointId: string): Promise<string> {
  const delivery = await db.oneFirst(sql.prepared('test_webhook_endpoint', z.object({ id: z.string().nullable() }))`
    select test_endpoint(${app}, ${endpointId}) id`);
  if (delivery === null) throw new Refusal('V2_WEBHOOK_INACTIVE');
  return delivery;
}

const refusedVerdicts = {
  unknown: 'V2_WEBHOOK_DELIVERY_UNKNOWN',
  inactive: 'V2_WEBHOOK_INACTIVE',
} as const;

/** Sends a delivery once more, under its id and from the start of the plan. */
export async function redeliver(db: Db, app: string, deliveryId: string): Promise<void> {
  const verdict = await db.oneFirst(
    sql.prepared('redeliver_webhook', z.object({ verdict: z.enum(['queued', 'unknown', 'inactive']) }))`
    select redeliver(${app}, ${deliveryId}) verdict`,
  );
  if (verdict !== 'queued') throw new Refusal(refusedVerdicts[verdict]);
}

const recovered = z.object({ verdict: z.enum(['queued', 'unknown', 'inactive', 'too_soon']), queued: z.number() });

/**
 * Queues again what an endpoint missed since a time, spread out so that a receiver just come back is not knocked over.
 * Answers how many; of more than 10,000 the oldest, the rest at the next call, a minute later at the earliest.
 */
export async function recoverEndpoint(db: Db, app: string, endpointId: string, since: string): Promise<number> {
  const { verdict, queued } = await db.one(sql.prepared('recover_webhook_endpoint', recovered)`
    select verdict, queued
    from recover_endpoint(${app}, ${endpointId}, ${since}, ${RECOVERED_AT_ONCE}, ${RECOVERED_PER_S}, ${RECOVERY_PAUSE_S})`);
  if (verdict === 'unknown') throw new Refusal('V2_WEBHOOK_ENDPOINT_UNKNOWN');
  if (verdict === 'inactive') throw new Refusal('V2_WEBHOOK_INACTIVE');
  if (verdict === 'too_soon') throw new Refusal('V2_WEBHOOK_RECOVERY_PAUSED', { retryAfterS: RECOVERY_PAUSE_S });
  return queued;
}
