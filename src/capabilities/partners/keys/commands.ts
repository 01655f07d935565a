import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { digest, hintOf, newId, newSecret } from '../../../kernel/ids.ts';

const rolledRow = z.object({ previous_expires_at: z.string() });

/** A new key. It is shown once. */
export type RolledKey = { key_id: string; key: string; previous_key_expires_at: string };

/**
 * Gives the partner of a key another one with the same label; this key stays valid for `overlapS` seconds. Throws
 * V1_KEY_SUPERSEDED if it was rolled already. So only one of several concurrent calls succeeds, and a key
 * that was rolled before it leaked cannot take over the partner.
 */
export async function rollKey(db: Db, keyId: string, overlapS: number): Promise<RolledKey> {
  const key = newSecret('tpk');
  const rolledId = newId('pky');
  const rolled = await db.maybeOne(sql.prepared('roll_partner_key', rolledRow)`
    with previous as (
      update partner_keys
      set expires_at = now() + make_interval(secs => ${overlapS})
      where id = ${keyId} and expires_at is null and revoked_at is null
      returning partner_id, label, expires_at
    ), made as (
      insert into partner_keys (id, partner_id, digest, hint, label, rolled_from)
      select ${rolledId}, p.partner_id, ${sql.binary(digest(key))}, ${hintOf(key)}, p.label, ${keyId}
      from previous p
    )
    select p.expires_at as previous_expires_at
    from previous p`);
  if (!rolled) throw new ApiError('V1_KEY_SUPERSEDED');
  return { key_id: rolledId, key, previous_key_expires_at: rolled.previous_expires_at };
}
