import { sql } from 'slonik';
import type { Db } from '../../db/pool.ts';
import { digest, hintOf, newId, newSecret, type PartnerId } from '../../kernel/ids.ts';

/** A key just created. `key` is shown once; only its digest is stored. */
export type MintedKey = { partner_id: PartnerId; key_id: string; key: string };

/** Creates a partner with its first key. */
export async function createPartner(
  db: Pick<Db, 'transaction'>,
  name: string,
  label: string | null = null,
): Promise<MintedKey> {
  const partnerId = newId('ptn');
  return db.transaction(async (tx) => {
    await tx.query(sql.unsafe`insert into partners (id, name) values (${partnerId}, ${name})`);
    return mintKey(tx, partnerId, label);
  });
}

/** Creates another key of a partner. Earlier keys stay valid until they are revoked. */
export async function mintKey(db: Pick<Db, 'query'>, partnerId: PartnerId, label: string | null): Promise<MintedKey> {
  const key = newSecret('tpk');
  const keyId = newId('pky');
  await db.query(sql.unsafe`
    insert into partner_keys (id, partner_id, digest, hint, label)
    values (${keyId}, ${partnerId}, ${sql.binary(digest(key))}, ${hintOf(key)}, ${label})`);
  return { partner_id: partnerId, key_id: keyId, key };
}

/** Revokes a key at once. False if the key is unknown or already revoked. */
export async function revokeKey(db: Db, keyId: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.unsafe`
    update partner_keys
    set revoked_at = now()
    where id = ${keyId} and revoked_at is null`);
  return rowCount === 1;
}
