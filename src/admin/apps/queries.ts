import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';

/** An app in the form shown to operators. It contains no secret. */
export const summaryRow = z.custom<components['schemas']['AppSummary']>();

/** An app in the form shown to operators. */
export type AppSummary = z.infer<typeof summaryRow>;

/** The columns of a summary; the app's row has the alias `a`. */
export const summaryColumns = sql.fragment`
  a.id as app_id, a.slug, a.name, a.entity_hotkey, a.allowed_scopes, a.disabled_at is null as active, a.contact_email,
  a.allowed_origins, a.require_reauthentication, a.connect_return_url, a.connect_refresh_url, a.verification_level,
  a.network_key is not null as has_network_key,
  a.created_at, a.updated_at, a.disabled_at`;

/** Every app, oldest first. */
export const listApps = (db: Db): Promise<readonly AppSummary[]> =>
  db.any(sql.prepared('list_apps', summaryRow)`
    select ${summaryColumns}
    from apps a
    order by a.created_at, a.id`);
