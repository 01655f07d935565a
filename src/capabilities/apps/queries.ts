import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import { batch } from '../../db/batch.ts';
import type { Db } from '../../db/pool.ts';
import { cachedStaleRead } from '../../kernel/cache.ts';
import { type AppId, digest, idSchema, type WithIds } from '../../kernel/ids.ts';
import type { App } from '../../kernel/principal.ts';
import { grant } from '../../kernel/principal.ts';

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
