import { sql, UniqueIntegrityConstraintViolationError } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import { digest } from '../../kernel/digest.ts';
import { newId, newSecret } from '../../kernel/ids.ts';
import { Refusal } from '../../kernel/refusals.ts';
import type { Place, Sealer } from '../../kernel/seal.ts';
import { type Actor, noting } from '../audit/intents.ts';
import { type AppSummary, summaryColumns, summaryRow } from './queries.ts';

type Schemas = components['schemas'];

/** Where the key of a tenant's miner lies. */
export const networkKey = (appId: string): Place => ({ table: 'apps', row: appId, column: 'network_key' });

/** An app to be made. */
export type NewApp = {
  slug: string;
  name: string;
  contactEmail: string | null;
  entityHotkey: string | null;
  networkApiKey: string | null;
  scopes: readonly string[];
};

const idRow = z.object({ app_id: z.string() });

/** Registers an app with its first secret, shown this once. Refuses a slug or a network identity that is taken. */
export async function createApp(db: Db, sealer: Sealer, app: NewApp, actor: Actor) {
  const appId = newId('app');
  const secret = newSecret('csk');
  const sealed = app.networkApiKey === null ? null : sql.binary(sealer.seal(app.networkApiKey, networkKey(appId)));
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
        insert into app_secrets (id, app_id, digest)
        select ${newId('sec')}, m.subject, ${sql.binary(digest(secret))}
        from made m
      ), noted as (${noting({ actor, action: 'app.create', detail: { slug: app.slug } }, 'made')})
      select subject as app_id
      from made`)
    .catch(refuseTaken);
  return { app_id: appId, client_secret: secret };
}

/** Says which of an app's names is taken. */
export function refuseTaken(error: unknown): never {
  if (error instanceof UniqueIntegrityConstraintViolationError) {
    if (error.constraint === 'apps_slug_taken') throw new Refusal('V2_APP_SLUG_TAKEN');
    if (error.constraint === 'apps_entity_hotkey_taken') throw new Refusal('V2_APP_HOTKEY_TAKEN');
  }
  throw error;
}

/** Changes settings of an app; members left out stay. A scope taken away leaves tokens already issued, too. */
export async function updateApp(
  db: Db,
  appId: string,
  changes: Schemas['UpdateAppRequest'],
  actor: Actor,
): Promise<AppSummary> {
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
        updated_at = now()
      from (select ${given}::jsonb as given) as g
      where id = ${appId}
      returning apps.*, id as subject
    ), noted as (${noting({ actor, action: 'app.update', detail: changes }, 'changed')})
    select ${summaryColumns}
    from changed a`);
  if (!changed) throw new Refusal('V2_APP_UNKNOWN');
  return changed;
}

/** Disables an app: its tokens are void from this moment, and stay so should it be enabled again. Harmless to repeat. */
export async function disableApp(db: Db, appId: string, actor: Actor): Promise<AppSummary> {
  const changed = await db.maybeOne(sql.prepared('disable_app', summaryRow)`
    with changed as (
      update apps
      set disabled_at = coalesce(disabled_at, now()), updated_at = now()
      where id = ${appId}
      returning apps.*, id as subject
    ), voided as (
      delete from app_tokens t
      using changed c
      where t.app_id = c.id
    ), noted as (${noting({ actor, action: 'app.disable' }, 'changed')})
    select ${summaryColumns}
    from changed a`);
  if (!changed) throw new Refusal('V2_APP_UNKNOWN');
  return changed;
}

/** Enables an app again. Harmless to repeat. */
export async function enableApp(db: Db, appId: string, actor: Actor): Promise<AppSummary> {
  const changed = await db.maybeOne(sql.prepared('enable_app', summaryRow)`
    with changed as (
      update apps
      set disabled_at = null, updated_at = now()
      where id = ${appId}
      returning apps.*, id as subject
    ), noted as (${noting({ actor, action: 'app.enable' }, 'changed')})
    select ${summaryColumns}
    from changed a`);
  if (!changed) throw new Refusal('V2_APP_UNKNOWN');
  return changed;
}

const rotatedRow = z.object({ subject: z.string(), previous_expires_at: z.string() });

/** Gives an app a new secret, whatever secret is the newest; the one before lives on for `overlapS`. */
export async function rotateAppSecret(db: Db, appId: string, overlapS: number, actor: Actor) {
  const secret = newSecret('csk');
  const rotated = await db.maybeOne(sql.prepared('rotate_app_secret', rotatedRow)`
    with rotated as (
      select ${appId}::text as subject, r.previous_expires_at
      from rotate_app_secret(${appId}, null, ${newId('sec')}, ${sql.binary(digest(secret))}, ${overlapS}) r
    ), noted as (${noting({ actor, action: 'app.rotate_secret', detail: { overlap_seconds: overlapS } }, 'rotated')})
    select subject, previous_expires_at
    from rotated`);
  if (!rotated) throw new Refusal('V2_APP_UNKNOWN');
  return { client_id: appId, client_secret: secret, previous_secret_expires_at: rotated.previous_expires_at };
}
