import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import type { OwnerId, UserId } from '../../kernel/ids.ts';
import type { PageRequest } from '../../kernel/pages.ts';

const keyRow = z.custom<components['schemas']['ApiKey']>();

/** A page of a user's keys, without secrets, newest first, after the key `cursor`. */
export const listKeys = (
  db: Db,
  owner: OwnerId,
  userId: UserId,
  { cursor, limit }: PageRequest,
): Promise<readonly z.infer<typeof keyRow>[]> =>
  db.any(sql.prepared('list_trader_keys', keyRow)`
    select k.id, k.label, k.key_id, k.prop_account_id, k.created_at, k.last_used_at, k.revoked_at
    from trader_keys k
    where k.owner = ${owner} and k.user_id = ${userId}
      and (
        ${cursor}::text is null
        or (k.created_at, k.id) < (select c.created_at, c.id from trader_keys c where c.id = ${cursor})
      )
    order by k.created_at desc, k.id desc
    limit ${limit}`);

/** Whether a user has a key with this id. */
export const isKeyOf = (db: Db, owner: OwnerId, userId: UserId, keyId: string): Promise<boolean> =>
  db.exists(sql.type(z.object({}))`
    select from trader_keys k where k.id = ${keyId} and k.owner = ${owner} and k.user_id = ${userId}`);
