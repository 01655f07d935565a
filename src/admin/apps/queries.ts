import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

/** An app as operators see it. It holds no secret. */
export const summaryRow = z.object({
  app_id: z.string(),
  slug: z.string(),
  name: z.string(),
  entity_hotkey: z.string().nullable(),
  allowed_scopes: z.array(z.enum(['api', 'webhooks', 'reads', 'trading', 'payouts:write', '*'])),
  active: z.boolean(),
  contact_email: z.string().nullable(),
  connect_return_url: z.string().nullable(),
  connect_refresh_url: z.string().nullable(),
  verification_level: z.enum(['none', 'basic', 'full']),
  has_network_key: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
  disabled_at: z.string().nullable(),
});

export type AppSummary = z.infer<typeof summaryRow>;

/** Columns of a summary, of apps named `a`. */
export const summaryColumns = sql.fragment`
  a.id as app_id, a.slug, a.name, a.entity_hotkey, a.allowed_scopes, a.disabled_at is null as active, a.contact_email,
  a.connect_return_url, a.connect_refresh_url, a.verification_level, a.network_key is not null as has_network_key,
  a.created_at, a.updated_at, a.disabled_at`;

/** Every app, oldest first. */
export const listApps = (db: Db): Promise<readonly AppSummary[]> =>
  db.any(sql.prepared('list_apps', summaryRow)`
    select ${summaryColumns}
    from apps a
    order by a.created_at, a.id`);
