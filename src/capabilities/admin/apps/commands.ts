import { sql, UniqueIntegrityConstraintViolationError } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { type AppId, digest, type Hotkey, hintOf, idSchema, newId, newSecret } from '../../../kernel/ids.ts';
import { requireValue } from '../../../kernel/require.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { networkKeySealContext } from '../../apps/queries.ts';
import { type Actor, auditEntry, note } from '../audit/commands.ts';
import { resumeSending, type Waiting } from '../owners/commands.ts';
import { type AppSummary, isApp, summaryColumns, summaryRow } from './queries.ts';

type Schemas = components['schemas'];

/** An app to create. */
export type NewApp = {
  slug: string;
  name: string;
  contactEmail: string | null;
  entityHotkey: Hotkey | null;
  networkApiKey: string | null;
  scopes: readonly string[];
};

const idRow = z.object({ app_id: idSchema.app });

/** Registers an app with its first secret, which is shown once. Throws V2_APP_SLUG_TAKEN or V2_APP_HOTKEY_TAKEN. */
export async function createApp(db: Db, sealer: Pick<Sealer, 'seal'>, app: NewApp, actor: Actor) {
  const appId = newId('app');
  const secret = newSecret('csk');
  const sealed = sealKey(sealer, appId, app.networkApiKey);
  await db
    .one(sql.prepared('create_app', idRow)`
      with made as (
        insert into apps (id, slug, name, contact_email, entity_hotkey, network_key, allowed_scopes)
        values (
          ${appId}, ${app.slug}, ${app.name}, ${app.contactEmail}, ${app.entityHotkey}, ${sealed},
          ${sql.array(app.scopes, 'text')}
        )
        returning id as subject
      ), armed as (
        insert into app_secrets (id, app_id, digest, hint)
        select ${newId('sec')}, m.subject, ${sql.binary(digest(secret))}, ${hintOf(secret)}
        from made m
      ), noted as (${auditEntry({ actor, action: 'app.create', detail: { slug: app.slug } }, 'made')})
      select subject as app_id
      from made`)
    .catch(rejectTaken);
  return { app_id: appId, client_secret: secret };
}

/** The key of an app's miner as it is stored; null if there is none. */
export const sealKey = (sealer: Pick<Sealer, 'seal'>, appId: AppId, key: string | null) =>
  key === null ? null : sql.binary(sealer.seal(key, networkKeySealContext(appId)));

/** Throws the `ApiError` for a taken slug or network identity, and any other error unchanged. */
export function rejectTaken(error: unknown): never {
  if (error instanceof UniqueIntegrityConstraintViolationError) {
    if (error.constraint === 'apps_slug_taken') throw new ApiError('V2_APP_SLUG_TAKEN');
    if (error.constraint === 'apps_entity_hotkey_taken') throw new ApiError('V2_APP_HOTKEY_TAKEN');
  }
  throw error;
}

/**
 * Changes settings of an app; omitted members stay. Removing a scope also removes it from tokens already issued. A key of its miner replaces
 * the one that it has. Throws V2_APP_UNKNOWN, or V2_APP_CREDENTIALS_MISMATCH if the app has none.
 */
export async function updateApp(
  { db, sealer }: { db: Db; sealer: Pick<Sealer, 'seal'> },
  appId: AppId,
  { network_api_key, ...settings }: Schemas['UpdateAppRequest'],
  actor: Actor,
): Promise<AppSummary> {
  const key = sealKey(sealer, appId, network_api_key ?? null);
  const changes = { ...settings, ...(key && { has_network_api_key: true }) };
  const given = JSON.stringify(changes);
  const changed = await db.maybeOne(sql.prepared('update_app', summaryRow)`
    with changed as (
      update apps
      set name = coalesce(g.given ->> 'name', name),
        connect_return_url = case when g.given ? 'connect_return_url' then g.given ->> 'connect_return_url' else connect_return_url end,
        connect_refresh_url = case when g.given ? 'connect_refresh_url' then g.given ->> 'connect_refresh_url' else connect_refresh_url end,
        verification_level = coalesce(g.given ->> 'verification_level', verification_level),
        allowed_scopes = coalesce(
          (select array_agg(s) from jsonb_array_elements_text(g.given -> 'allowed_scopes') as s), allowed_scopes),
        require_reauthentication = coalesce((g.given ->> 'require_reauthentication')::boolean, require_reauthentication),
        requests_per_minute = coalesce((g.given ->> 'requests_per_minute')::integer, requests_per_minute),
        daily_limits = jsonb_strip_nulls(daily_limits || coalesce(g.given -> 'daily_limits', '{}')),
        allowed_origins = coalesce(
          (select array_agg(o) from jsonb_array_elements_text(g.given -> 'allowed_origins') as o),
          case when g.given ? 'allowed_origins' then '{}' else allowed_origins end),
        network_key = coalesce(${key}::bytea, network_key),
        updated_at = now()
      from (select ${given}::jsonb as given) as g
      where id = ${appId} and (${key}::bytea is null or network_key is not null)
      returning apps.*, id as subject
    ), noted as (${auditEntry({ actor, action: 'app.update', detail: changes }, 'changed')})
    select ${summaryColumns}
    from changed a`);
  const isKeyless = !changed && key !== null && (await isApp(db, appId));
  return requireValue(changed, isKeyless ? 'V2_APP_CREDENTIALS_MISMATCH' : 'V2_APP_UNKNOWN');
}

/**
 * Disables an app: it receives nothing, and its tokens are deleted, so enabling it again does not restore them; by a statement of its own,
 * which sees a token that was being issued until then. Or enables it, with what waited. Safe to repeat. Throws V2_APP_UNKNOWN.
 */
export const setAppActive = (
  db: Db,
  appId: AppId,
  { active, waiting = 'send' }: { active: boolean; waiting?: Waiting },
  actor: Actor,
): Promise<AppSummary> =>
  db.transaction(async (tx) => {
    const act = { actor, action: active ? 'app.enable' : 'app.disable', ...(active && { detail: { waiting } }) };
    const changed = await tx.maybeOne(sql.prepared('set_app_active', summaryRow)`
      with changed as (
        update apps
        set disabled_at = case when ${active} then null else coalesce(disabled_at, now()) end, updated_at = now()
        where id = ${appId}
        returning apps.*, id as subject
      ), noted as (${auditEntry(act, 'changed')})
      select ${summaryColumns}
      from changed a`);
    if (active) await resumeSending(tx, appId);
    else await tx.query(sql.prepared('void_app_tokens', z.object({}))`delete from app_tokens where app_id = ${appId}`);
    return requireValue(changed, 'V2_APP_UNKNOWN');
  });

const endpointsRow = z.object({ endpoints: z.array(z.string()) });
const rotatedRow = z.object({ subject: z.string(), previous_expires_at: z.string() });

/**
 * Gives an app a new secret, whichever secret is the newest. The previous one stays valid for `overlapS` seconds.
 * Throws V2_APP_UNKNOWN.
 */
export async function rotateAppSecret(db: Db, appId: AppId, overlapS: number, actor: Actor) {
  const secret = newSecret('csk');
  const rotated = await db.maybeOne(sql.prepared('rotate_app_secret', rotatedRow)`
    with rotated as (
      select ${appId}::text as subject, r.previous_expires_at
      from rotate_app_secret(
        ${appId}, null, ${newId('sec')}, ${sql.binary(digest(secret))}, ${hintOf(secret)}, ${overlapS}
      ) r
    ), noted as (${auditEntry({ actor, action: 'app.rotate_secret', detail: { overlap_seconds: overlapS } }, 'rotated')})
    select subject, previous_expires_at
    from rotated`);
  if (!rotated) throw new ApiError('V2_APP_UNKNOWN');
  return { client_id: appId, client_secret: secret, previous_secret_expires_at: rotated.previous_expires_at };
}

/** `rotateAppSecret` for a secret that is stolen: it ends at once, and the endpoints that were set with secrets of the app are deactivated. */
export const replaceStolenSecret = (db: Db, appId: AppId, actor: Actor) =>
  db.transaction(async (tx) => {
    const rotated = await rotateAppSecret(tx, appId, 0, actor);
    const endpoints = await tx.oneFirst(sql.prepared('quarantine_endpoints_of_app', endpointsRow)`
      select quarantine_endpoints(${appId}, array(select s.id from app_secrets s where s.app_id = ${appId})) as endpoints`);
    await note(tx, { actor, action: 'app.replace_stolen_secret', detail: { endpoints } }, appId);
    return rotated;
  });
