import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import { keysetPage } from '../../../db/keyset.ts';
import type { Db } from '../../../db/pool.ts';
import type { AppId } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

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
