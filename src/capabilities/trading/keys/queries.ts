import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import { keysetPage } from '../../../db/keyset.ts';
import type { Db } from '../../../db/pool.ts';
import type { OwnerId, UserId } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

const keyRow = z.custom<components['schemas']['ApiKey']>();

/** A page of a user's keys, without secrets, newest first, after the key `cursor`. */
export const listKeys = (
  db: Db,
  owner: OwnerId,
  userId: UserId,
  page: PageRequest,
): Promise<readonly z.infer<typeof keyRow>[]> =>
  db.any(sql.prepared('list_trader_keys', keyRow)`
    select k.id, k.label, k.key_id, k.prop_account_id, k.created_at, k.last_used_at, k.revoked_at
    from trader_keys k
    where k.owner = ${owner} and k.user_id = ${userId}
      and ${keysetPage({ table: 'trader_keys', alias: 'k', order: 'newest first' }, page)}`);

/** Whether a user has a key with this id. */
export const isKeyOf = (db: Db, owner: OwnerId, userId: UserId, keyId: string): Promise<boolean> =>
  db.exists(sql.type(z.object({}))`
    select from trader_keys k where k.id = ${keyId} and k.owner = ${owner} and k.user_id = ${userId}`);
