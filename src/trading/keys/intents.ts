import { randomBytes } from 'node:crypto';
import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { digest } from '../../kernel/digest.ts';
import { newId } from '../../kernel/ids.ts';
import { Refusal } from '../../kernel/refusals.ts';

const MOST_KEYS = 20; // per account: enough for every program of one trader
const SECRET_BYTES = 32;

const mintedRow = z.object({ created_at: z.string() });

/** Mints a key for an account of a user. Only its digest is kept: the secret is told once, here. */
export async function mintApiKey(
  db: Db,
  { owner, userId, propAccountId }: { owner: string; userId: string; propAccountId: string },
  label: string,
) {
  const [id, key_id] = [newId('key'), newId('tk')];
  const key_secret = randomBytes(SECRET_BYTES).toString('base64url');
  const api_key = `${key_id}.${key_secret}`;
  const created_at = await db.transaction(async (tx) => {
    await tx.query(sql.prepared('lock_prop_account', z.object({ id: z.string() }))`
      select id
      from prop_accounts
      where id = ${propAccountId}
      for no key update`);
    const minted = await tx.maybeOneFirst(sql.prepared('mint_trader_key', mintedRow)`
      insert into trader_keys (id, key_id, digest, label, owner, user_id, prop_account_id)
      select ${id}, ${key_id}, ${sql.binary(digest(api_key))}, ${label}, ${owner}, ${userId}, ${propAccountId}
      where (
        select count(*)
        from trader_keys k
        where k.owner = ${owner} and k.user_id = ${userId} and k.prop_account_id = ${propAccountId} and k.revoked_at is null
      ) < ${MOST_KEYS}
      returning created_at`);
    if (!minted) throw new Refusal('V2_API_KEY_TOO_MANY');
    return minted;
  });
  return { id, label, key_id, key_secret, api_key, prop_account_id: propAccountId, created_at };
}

/** Revokes a user's key; one that was revoked before stays so. Refuses foreign and unknown ones alike. */
export async function revokeKey(db: Db, owner: string, userId: string, keyId: string): Promise<void> {
  const { rowCount } = await db.query(sql.prepared('revoke_trader_key', z.object({}))`
    update trader_keys k
    set revoked_at = coalesce(k.revoked_at, now())
    where k.id = ${keyId} and k.owner = ${owner} and k.user_id = ${userId}`);
  if (rowCount === 0) throw new Refusal('V2_API_KEY_UNKNOWN');
}
