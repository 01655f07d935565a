import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import type { PartnerId } from '../../kernel/ids.ts';
import { createPartner, type MintedKey, mintKey } from '../../partners/commands.ts';
import { type Actor, auditEntry } from '../audit/commands.ts';

/** A statement that records an action on a subject, for a transaction that has changed the subject before. */
const entry = (actor: Actor, action: string, subject: string, detail: Record<string, unknown> = {}) => sql.type(
  z.object({}),
)`
  with changed as (select ${subject}::text as subject)
  ${auditEntry({ actor, action, detail }, 'changed')}`;

/** Creates a partner with its first key, which is shown once. */
export const makePartner = (db: Db, name: string, label: string | null, actor: Actor): Promise<MintedKey> =>
  db.transaction(async (tx) => {
    const minted = await createPartner(tx, name, label);
    await tx.query(entry(actor, 'partner.create', minted.partner_id, { key_id: minted.key_id }));
    return minted;
  });

/** Creates another key of a partner, which is shown once. Null for an unknown partner. */
export const mintPartnerKey = (
  db: Db,
  partnerId: PartnerId,
  label: string | null,
  actor: Actor,
): Promise<MintedKey | null> =>
  db.transaction(async (tx) => {
    const known = await tx.exists(sql.unsafe`select from partners where id = ${partnerId} for share`);
    if (!known) return null;
    const minted = await mintKey(tx, partnerId, label);
    await tx.query(entry(actor, 'partner_key.mint', partnerId, { key_id: minted.key_id }));
    return minted;
  });

const subjectRow = z.object({ subject: z.string() });

/** Revokes a key at once. False if the key is unknown or already revoked. */
export const revokePartnerKey = async (db: Db, keyId: string, actor: Actor): Promise<boolean> =>
  (await db.maybeOne(sql.prepared('revoke_partner_key', subjectRow)`
    with changed as (
      update partner_keys
      set revoked_at = now()
      where id = ${keyId} and revoked_at is null
      returning id as subject
    ), noted as (${auditEntry({ actor, action: 'partner_key.revoke' }, 'changed')})
    select subject
    from changed`)) !== null;

/** Disables a partner, which invalidates its keys at once, or enables it again. False for an unknown partner. */
export const setPartnerActive = async (db: Db, partnerId: PartnerId, active: boolean, actor: Actor): Promise<boolean> =>
  (await db.maybeOne(sql.prepared('set_partner_active', subjectRow)`
    with changed as (
      update partners
      set disabled_at = case when ${active} then null else coalesce(disabled_at, now()) end
      where id = ${partnerId}
      returning id as subject
    ), noted as (${auditEntry({ actor, action: active ? 'partner.enable' : 'partner.disable' }, 'changed')})
    select subject
    from changed`)) !== null;

/** Changes to a partner; omitted members stay. */
export type PartnerChanges = { name?: string; contact_email?: string; requests_per_minute?: number };

/** Changes a partner. A new quota holds from its next request. False for an unknown partner. */
export const changePartner = async (db: Db, partnerId: PartnerId, changes: PartnerChanges, actor: Actor) => {
  const { name = null, contact_email = null, requests_per_minute = null } = changes;
  return (
    (await db.maybeOne(sql.prepared('change_partner', subjectRow)`
      with changed as (
        update partners
        set name = coalesce(${name}, name), contact_email = coalesce(${contact_email}, contact_email),
          requests_per_minute = coalesce(${requests_per_minute}, requests_per_minute)
        where id = ${partnerId}
        returning id as subject
      ), noted as (${auditEntry({ actor, action: 'partner.update', detail: { ...changes } }, 'changed')})
      select subject
      from changed`)) !== null
  );
};
