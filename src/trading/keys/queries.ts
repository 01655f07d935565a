import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import { batch } from '../../db/batch.ts';
import type { Db } from '../../db/pool.ts';
import { digest, type OwnerId, type UserId } from '../../kernel/ids.ts';
import type { PageRequest } from '../../kernel/pages.ts';
import type { Trader } from '../../kernel/principal.ts';
import { covers } from '../../kernel/scopes.ts';

/**
 * Finds the trader of an API key. Null if the key is unknown or revoked, or if its app is disabled or may no longer
 * trade.
 */
export type TraderFinder = (key: string) => Promise<Trader | null>;

const LAST_USED_EVERY_S = 60; // `last_used_at` is written at most this often

const traderRow = z.object({
  digest: z.instanceof(Buffer),
  id: z.string(),
  owner: z.string(),
  user_id: z.string(),
  prop_account_id: z.string(),
  allowed_scopes: z.array(z.string()),
  allowed_origins: z.array(z.string()),
});

/** Makes the trader finder of a process. Nothing is cached; concurrent calls share a query. */
export function traderFinder(db: Db): TraderFinder {
  return batch(async (keys: string[]) => {
    const digests = keys.map(digest);
    const rows = await db.any(sql.prepared('find_trader_keys', traderRow)`
      with found as (
        select k.digest, k.id, k.owner, k.user_id, k.prop_account_id, k.last_used_at, a.allowed_scopes, a.allowed_origins
        from trader_keys k
        join apps a on a.id = k.owner
        where k.digest = any(${sql.array(digests, 'bytea')})
          and k.revoked_at is null
          and a.disabled_at is null
      ), noted as (
        update trader_keys k
        set last_used_at = now()
        from found f
        where k.id = f.id
          and (f.last_used_at is null or f.last_used_at < now() - make_interval(secs => ${LAST_USED_EVERY_S}))
      )
      select f.digest, f.id, f.owner, f.user_id, f.prop_account_id, f.allowed_scopes, f.allowed_origins
      from found f`);
    const byDigest = new Map(rows.map((row) => [row.digest.toString('hex'), row]));
    return digests.map((bytes) => traderOf(byDigest.get(bytes.toString('hex'))));
  });
}

const traderOf = (row: z.infer<typeof traderRow> | undefined): Trader | null =>
  row && covers(row.allowed_scopes, 'trading')
    ? {
        kind: 'trader',
        owner: row.owner,
        userId: row.user_id,
        propAccountId: row.prop_account_id,
        keyId: row.id,
        origins: row.allowed_origins,
      }
    : null;

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
