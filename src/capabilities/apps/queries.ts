import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import { batch } from '../../db/batch.ts';
import { keysetPage } from '../../db/keyset.ts';
import type { Db } from '../../db/pool.ts';
import { cachedStaleRead } from '../../kernel/cache.ts';
import { type AppId, digest, type Hotkey, idSchema, type OwnerId, type WithIds } from '../../kernel/ids.ts';
import type { PageRequest } from '../../kernel/pages.ts';
import { type App, grant } from '../../kernel/principal.ts';
import type { SealContext, Sealer } from '../../kernel/seal.ts';

/**
 * Finds the app of a client id and secret, with every scope it holds. Null for a wrong or expired secret and for a
 * disabled app.
 */
export type ClientFinder = (clientId: string, secret: string) => Promise<App | null>;
/** Finds the app of an access token. Null for an unknown or expired token, an expired secret and a disabled app. */
export type AppFinder = (token: string) => Promise<App | null>;

const clientRow = z.object({
  app_id: idSchema.app,
  slug: z.string(),
  entity_hotkey: idSchema.hotkey.nullable(),
  allowed_scopes: z.array(z.string()),
  per_minute: z.number(),
  secret_id: z.string(),
});
const tokenRow = clientRow.extend({
  digest: z.instanceof(Buffer),
  scopes: z.array(z.string()),
  expires_at: z.string(),
});

/** Creates the process's client finder. */
export function clientFinder(db: Db): ClientFinder {
  return async (clientId, secret) => {
    const row = await db.maybeOne(sql.prepared('find_client', clientRow)`
      select a.id as app_id, a.slug, a.entity_hotkey, a.allowed_scopes, a.requests_per_minute as per_minute, s.id as secret_id
      from app_secrets s
      join apps a on a.id = s.app_id
      where s.digest = ${sql.binary(digest(secret))}
        and a.id = ${clientId}
        and (s.expires_at is null or s.expires_at > now())
        and a.disabled_at is null`);
    return row && { ...appOfRow(row, row.allowed_scopes), tokenDigest: null, expiresAt: null };
  };
}

/**
 * Creates the process's finder of apps by token. It reads every token from the database, without a cache, and omits
 * scopes that the app has lost since. Concurrent reads share a query.
 */
export function appFinder(db: Db): AppFinder {
  return batch(async (tokens: string[]) => {
    const digests = tokens.map(digest);
    const rows = await db.any(sql.prepared('find_app_tokens', tokenRow)`
      select t.digest, t.scopes, least(t.expires_at, s.expires_at) as expires_at, a.id as app_id, a.slug, a.entity_hotkey,
        a.allowed_scopes, a.requests_per_minute as per_minute, s.id as secret_id
      from app_tokens t
      join app_secrets s on s.id = t.secret_id
      join apps a on a.id = t.app_id
      where t.digest = any(${sql.array(digests, 'bytea')})
        and t.expires_at > now()
        and (s.expires_at is null or s.expires_at > now())
        and a.disabled_at is null`);
    const byDigest = new Map(rows.map((row) => [row.digest.toString('hex'), row]));
    return digests.map((bytes) => {
      const tokenDigest = bytes.toString('hex');
      const row = byDigest.get(tokenDigest);
      if (!row) return null;
      return { ...appOfRow(row, grant(row.allowed_scopes, row.scopes)), tokenDigest, expiresAt: row.expires_at };
    });
  });
}

const appOfRow = (row: z.infer<typeof clientRow>, scopes: string[]): Omit<App, 'tokenDigest' | 'expiresAt'> => ({
  kind: 'app',
  owner: row.app_id,
  slug: row.slug,
  entityHotkey: row.entity_hotkey,
  scopes,
  perMinute: row.per_minute,
  secretId: row.secret_id,
});

const ORIGINS_FRESH_MS = 5_000;
const ORIGINS_STALE_MS = 60_000;
const originsRow = z.object({ origin: z.string() });

/** Makes the process's finder of the origins that active apps allow; a change is seen within seconds. */
export function originFinder(db: Db): () => Promise<ReadonlySet<string>> {
  const read = cachedStaleRead(ORIGINS_FRESH_MS, ORIGINS_STALE_MS, async () => {
    const origins = await db.anyFirst(sql.prepared('list_origins', originsRow)`
      select distinct unnest(a.allowed_origins) as origin
      from apps a
      where a.disabled_at is null`);
    return { kind: 'read', origins: new Set(origins) };
  });
  return async () => (await read()).origins;
}

const recordRow = z.custom<WithIds<components['schemas']['TenantApp']>>();

/** The record of an app in the form shown to the app. It contains no secret. */
export const getApp = (db: Db, appId: AppId): Promise<z.infer<typeof recordRow>> =>
  db.one(sql.prepared('get_app', recordRow)`
    select a.id as app_id, a.slug, a.name, a.entity_hotkey, a.allowed_scopes, a.disabled_at is null as active
    from apps a
    where a.id = ${appId}`);

/** The seal context of the network key of an app. */
export const networkKeySealContext = (appId: AppId): SealContext => ({
  table: 'apps',
  row: appId,
  column: 'network_key',
});

const identityRow = z.object({
  app_id: idSchema.app,
  entity_hotkey: idSchema.hotkey,
  network_key: z.instanceof(Buffer),
});

/** An app's identity at the network, and the key that its miner accepts. */
export type NetworkIdentity = { entityHotkey: Hotkey; minerKey: string };

/** The entity that an app creates its subaccounts under. Null: the platform's entity, as for partners. */
export const findAppEntity = (db: Db, owner: OwnerId): Promise<string | null> =>
  db.maybeOneFirst(sql.prepared('app_entity', identityRow.pick({ entity_hotkey: true }))`
    select a.entity_hotkey
    from apps a
    where a.id = ${owner} and a.network_key is not null`);

/** The entities of all apps that have their own, with a key. */
export const listAppEntities = (db: Db): Promise<readonly string[]> =>
  db.anyFirst(sql.type(identityRow.pick({ entity_hotkey: true }))`
    select a.entity_hotkey
    from apps a
    where a.network_key is not null`);

/**
 * The app identity of an entity, or null if no app has that entity with a key. It includes disabled apps, so that
 * running writes can finish.
 */
export async function findNetworkIdentity(
  { db, sealer }: { db: Db; sealer: Sealer },
  entityHotkey: Hotkey,
): Promise<NetworkIdentity | null> {
  const row = await db.maybeOne(sql.prepared('network_identity', identityRow)`
    select a.id as app_id, a.entity_hotkey, a.network_key
    from apps a
    where a.entity_hotkey = ${entityHotkey} and a.network_key is not null`);
  return row && { entityHotkey, minerKey: sealer.open(row.network_key, networkKeySealContext(row.app_id)).toString() };
}

const secretRow = z.custom<components['schemas']['ClientSecret']>();

/** A client secret of an app, without the secret itself. */
export type ClientSecret = z.infer<typeof secretRow>;

/** A page of an app's client secrets, oldest first, after the secret `cursor`. */
export const listSecrets = (db: Db, appId: AppId, page: PageRequest): Promise<readonly ClientSecret[]> =>
  db.any(sql.prepared('list_app_secrets', secretRow)`
    select s.id as secret_id, s.hint, s.created_at, s.superseded_at, s.expires_at, s.last_used_at
    from app_secrets s
    where s.app_id = ${appId}
      and ${keysetPage({ table: 'app_secrets', alias: 's', order: 'oldest first' }, page)}`);

/** Whether an app has a client secret with this id. */
export const isSecretOf = (db: Db, appId: AppId, secretId: string): Promise<boolean> =>
  db.exists(sql.type(z.object({}))`select from app_secrets s where s.id = ${secretId} and s.app_id = ${appId}`);
