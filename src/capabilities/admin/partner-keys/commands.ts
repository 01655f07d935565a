import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { PartnerId } from '../../../kernel/ids.ts';
import { type MintedKey, mintKey } from '../../partners/commands.ts';
import { type Actor, auditEntry, note } from '../audit/commands.ts';

const revokedRow = z.object({ subject: z.string() });
const stolenRow = z.object({ keys: z.array(z.string()), endpoints: z.array(z.string()) });

/** Creates another key of a partner, which is shown once. Null for an unknown partner. */
export const mintPartnerKey = (
  db: Db,
  partnerId: PartnerId,
  label: string | null,
  actor: Actor,
): Promise<MintedKey | null> =>
  db.transaction(async (tx) => {
    const known = await tx.exists(sql.unsafe`select from partners where id = ${partnerId}`);
    if (!known) return null;
    const minted = await mintKey(tx, partnerId, label);
    await note(tx, { actor, action: 'partner_key.mint', detail: { key_id: minted.key_id } }, partnerId);
    return minted;
  });

type Revoked = { keys: string[]; endpoints: string[] };

/** Revokes a key at once. Null if the key is unknown or already revoked. */
export const revokePartnerKey = async (db: Db, keyId: string, actor: Actor): Promise<Revoked | null> => {
  const revoked = await db.maybeOne(sql.prepared('revoke_partner_key', revokedRow)`
    with changed as (
      update partner_keys
      set revoked_at = now()
      where id = ${keyId} and revoked_at is null
      returning id as subject
    ), noted as (${auditEntry({ actor, action: 'partner_key.revoke' }, 'changed')})
    select subject
    from changed`);
  return revoked && { keys: [revoked.subject], endpoints: [] };
};

/** Revokes a key that is stolen, with what it made: keys that were rolled from it, and endpoints. Null if the key is unknown. */
export const revokeStolenKey = (db: Db, keyId: string, actor: Actor): Promise<Revoked | null> =>
  db.transaction(async (tx) => {
    const revoked = await tx.maybeOne(sql.prepared('revoke_stolen_key', stolenRow)`
      select r.keys, r.endpoints
      from revoke_stolen_key(${keyId}) r`);
    if (revoked) await note(tx, { actor, action: 'partner_key.revoke_stolen', detail: revoked }, keyId);
    return revoked;
  });
