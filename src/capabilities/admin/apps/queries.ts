import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import { keysetPage } from '../../../db/keyset.ts';
import type { Db } from '../../../db/pool.ts';
import type { AppId, WithIds } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

/** An app in the form shown to operators. It contains no secret. */
export const summaryRow = z.custom<WithIds<components['schemas']['AppSummary']>>();

/** An app in the form shown to operators. */
export type AppSummary = z.infer<typeof summaryRow>;

/** The columns of a summary; the app's row has the alias `a`. */
export const summaryColumns = sql.fragment`
  a.id as app_id, a.slug, a.name, a.entity_hotkey, a.allowed_scopes, a.disabled_at is null as active, a.contact_email,
  a.allowed_origins, a.require_reauthentication, a.connect_return_url, a.connect_refresh_url, a.verification_level,
  a.network_key is not null as has_network_key, a.requests_per_minute, a.daily_limits,
  a.created_at, a.updated_at, a.disabled_at`;

/** A page of the apps, oldest first, after the app `cursor`. */
export const listApps = (db: Db, page: PageRequest): Promise<readonly AppSummary[]> =>
  db.any(sql.prepared('list_apps', summaryRow)`
    select ${summaryColumns}
    from apps a
    where ${keysetPage({ table: 'apps', alias: 'a', order: 'oldest first' }, page)}`);

/** Whether an app exists. */
export const isApp = (db: Db, appId: AppId): Promise<boolean> =>
  db.exists(sql.type(z.object({}))`select from apps a where a.id = ${appId}`);
