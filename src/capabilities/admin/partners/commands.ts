import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import type { PartnerId } from '../../../kernel/ids.ts';
import { createPartner, type MintedKey } from '../../partners/commands.ts';
import { type Actor, auditEntry, note } from '../audit/commands.ts';
import { resumeSending, type Waiting } from '../owners/commands.ts';

/** Creates a partner with its first key, which is shown once. */
export const makePartner = (db: Db, name: string, label: string | null, actor: Actor): Promise<MintedKey> =>
  db.transaction(async (tx) => {
    const minted = await createPartner(tx, name, label);
    await note(tx, { actor, action: 'partner.create', detail: { key_id: minted.key_id } }, minted.partner_id);
    return minted;
  });

const subjectRow = z.object({ subject: z.string() });

/**
 * Disables a partner: its keys are invalid at once and it receives nothing. Or enables it again, with what waited.
 * No effect for an unknown partner.
 */
export const setPartnerActive = (
  db: Db,
  partnerId: PartnerId,
  { active, waiting = 'send' }: { active: boolean; waiting?: Waiting },
  actor: Actor,
): Promise<void> =>
  db.transaction(async (tx) => {
    const act = {
      actor,
      action: active ? 'partner.enable' : 'partner.disable',
      ...(active && { detail: { waiting } }),
    };
    await tx.query(sql.prepared('set_partner_active', subjectRow)`
      with changed as (
        update partners
        set disabled_at = case when ${active} then null else coalesce(disabled_at, now()) end
        where id = ${partnerId}
        returning id as subject
      ), noted as (${auditEntry(act, 'changed')})
      select subject
      from changed`);
    if (active) await resumeSending(tx, partnerId);
  });

/** Changes to a partner; omitted members stay. */
export type PartnerChanges = components['schemas']['UpdatePartnerRequest'];

/** Changes a partner. A new quota holds from its next request. False for an unknown partner. */
export const changePartner = async (db: Db, partnerId: PartnerId, changes: PartnerChanges, actor: Actor) => {
  const { name = null, contact_email = null, requests_per_minute = null, daily_limits = {} } = changes;
  return (
    (await db.maybeOne(sql.prepared('change_partner', subjectRow)`
      with changed as (
        update partners
        set name = coalesce(${name}, name), contact_email = coalesce(${contact_email}, contact_email),
          requests_per_minute = coalesce(${requests_per_minute}, requests_per_minute),
          daily_limits = jsonb_strip_nulls(daily_limits || ${JSON.stringify(daily_limits)}::jsonb)
        where id = ${partnerId}
        returning id as subject
      ), noted as (${auditEntry({ actor, action: 'partner.update', detail: { ...changes } }, 'changed')})
      select subject
      from changed`)) !== null
  );
};
