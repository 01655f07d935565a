import { randomBytes } from 'node:crypto';
import { sql } from 'slonik';
import { z } from 'zod';
import { batch } from '../../../db/batch.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import {
  digest,
  idSchema,
  newId,
  newIntentId,
  type OwnerId,
  type PropAccountId,
  type UserId,
} from '../../../kernel/ids.ts';
import type { Trader, User } from '../../../kernel/principal.ts';
import { covers } from '../../../kernel/principal.ts';
import { requireLiveSession } from '../../users/sessions/commands.ts';

const MAX_KEYS = 20; // per account; enough for all programs of one trader
const SECRET_BYTES = 32;
const NOTIFIED_WITHIN_S = 86_400;

const mintedRow = z.object({ created_at: z.string() });

/**
 * Creates a key for a user's account and mails the user. Only its digest is stored; the secret is returned only here.
 * Throws V2_API_KEY_TOO_MANY.
 */
export async function mintApiKey(
  db: Db,
  { owner, userId, sessionId }: Pick<User, 'owner' | 'userId' | 'sessionId'>,
  propAccountId: PropAccountId,
  label: string,
) {
  const [id, key_id] = [newId('key'), newId('tk')];
  const key_secret = randomBytes(SECRET_BYTES).toString('base64url');
  const api_key = `${key_id}.${key_secret}`;
  const created_at = await db.transaction(async (tx) => {
    await requireLiveSession(tx, sessionId);
    await tx.query(sql.prepared('lock_prop_account', z.object({ id: z.string() }))`
      select id
      from prop_accounts
      where id = ${propAccountId}
      for no key update`);
    const minted = await tx.maybeOneFirst(sql.prepared('mint_trader_key', mintedRow)`
      insert into trader_keys (id, key_id, digest, label, owner, user_id, prop_account_id, made_in_session)
      select ${id}, ${key_id}, ${sql.binary(digest(api_key))}, ${label}, ${owner}, ${userId}, ${propAccountId}, ${sessionId}
      where (
        select count(*)
        from trader_keys k
        where k.owner = ${owner} and k.user_id = ${userId} and k.prop_account_id = ${propAccountId} and k.revoked_at is null
      ) < ${MAX_KEYS}
      returning created_at`);
    if (!minted) throw new ApiError('V2_API_KEY_TOO_MANY');
    await tx.query(sql.prepared('mail_api_key_created', z.object({}))`
      select mail_user(${userId}, 'api_key_created', ${newIntentId()}, ${JSON.stringify({ label })}::jsonb, ${NOTIFIED_WITHIN_S})`);
    return minted;
  });
  return { id, label, key_id, key_secret, api_key, prop_account_id: propAccountId, created_at };
}

/** Revokes a user's key; no effect if it is revoked already. Throws V2_API_KEY_UNKNOWN if the user has no such key. */
export async function revokeKey(db: Db, owner: OwnerId, userId: UserId, keyId: string): Promise<void> {
  const { rowCount } = await db.query(sql.prepared('revoke_trader_key', z.object({}))`
    update trader_keys k
    set revoked_at = coalesce(k.revoked_at, now())
    where k.id = ${keyId} and k.owner = ${owner} and k.user_id = ${userId}`);
  if (rowCount === 0) throw new ApiError('V2_API_KEY_UNKNOWN');
}

/**
 * Finds the trader of an API key. Null if the key is unknown or revoked, or if its app is disabled or may no longer
 * trade.
 */
export type TraderFinder = (key: string) => Promise<Trader | null>;

const LAST_USED_EVERY_S = 60; // `last_used_at` is written at most this often

const traderRow = z.object({
  digest: z.instanceof(Buffer),
  id: z.string(),
  owner: idSchema.app,
  user_id: idSchema.user,
  prop_account_id: idSchema.propAccount,
  allowed_scopes: z.array(z.string()),
  allowed_origins: z.array(z.string()),
  per_minute: z.number(),
});

/**
 * Makes the trader finder of a process. Nothing is cached; concurrent calls share a query, which waits for no key: the use of
 * one that another transaction has locked is noted later.
 */
export function traderFinder(db: Db): TraderFinder {
  return batch(async (keys: string[]) => {
    const digests = keys.map(digest);
    const rows = await db.any(sql.prepared('find_trader_keys', traderRow)`
      with found as (
        select k.digest, k.id, k.owner, k.user_id, k.prop_account_id, a.allowed_scopes, a.allowed_origins,
          a.requests_per_minute
        from trader_keys k
        join apps a on a.id = k.owner
        where k.digest = any(${sql.array(digests, 'bytea')})
          and k.revoked_at is null
          and a.disabled_at is null
      ), noted as (
        update trader_keys k
        set last_used_at = now()
        where k.id in (
          select t.id
          from trader_keys t
          where t.id in (select f.id from found f)
            and (t.last_used_at is null or t.last_used_at < now() - make_interval(secs => ${LAST_USED_EVERY_S}))
          for no key update skip locked
        )
      )
      select f.digest, f.id, f.owner, f.user_id, f.prop_account_id, f.allowed_scopes, f.allowed_origins, f.requests_per_minute as per_minute
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
        perMinute: row.per_minute,
        origins: row.allowed_origins,
      }
    : null;
