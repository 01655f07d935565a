import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { type Hotkey, type IntentId, idSchema } from '../../kernel/ids.ts';
import type { OpenCreation } from './rules.ts';

/** The subaccount to create: one linked to a wallet, or one of an asset class. Sizes in USD. */
export const newSubaccount = z.union([
  z.object({ exAddress: idSchema.wallet, accountSize: z.number(), payoutAddress: z.exactOptional(idSchema.wallet) }),
  z.object({ assetClass: z.string(), accountSize: z.number() }),
]);

const registrationRow = z.object({ owner: z.string(), subaccount: newSubaccount, entity: idSchema.hotkey.nullable() });

/** What a partner registered at the network. `entity`: where it was sent; null if it was not. */
export type Registration = z.infer<typeof registrationRow>;

/** A partner's registration at the network by its intent; null for an intent of another kind or of a prop account. */
export const findRegistration = (db: Db, id: IntentId): Promise<Registration | null> =>
  db.maybeOne(sql.type(registrationRow)`
    select i.owner, i.request -> 'subaccount' as subaccount, i.sent_payload ->> 'entity' as entity
    from intents i
    where i.id = ${id} and i.kind = 'accounts/provision' and i.request ->> 'prop_account_id' is null`);

const creationsRow = z.object({
  open: z.array(
    z.object({ id: idSchema.intent, sent_ms: z.number(), in_doubt: z.boolean(), first_id: z.number().nullable() }),
  ),
  owned: z.array(z.string()),
});

/**
 * Creations of one size and class that were sent to an entity and whose outcome is open, oldest first, and which of
 * `hotkeys` have an owner in our tables. One snapshot serves both: a creation that ended between two queries would
 * leave its subaccount without an owner.
 */
export const getCreations = (
  db: Db,
  at: { assetClass: string; accountSize: number; entity: Hotkey; platform: string },
  hotkeys: (Hotkey | null)[],
): Promise<{ open: OpenCreation[]; owned: string[] }> =>
  db.one(sql.prepared('creations', creationsRow)`
    select
      (
        select coalesce(jsonb_agg(jsonb_build_object(
          'id', i.id,
          'sent_ms', extract(epoch from i.sending_at)::double precision * 1000,
          'in_doubt', i.state = 'in_doubt',
          'first_id', i.sent_payload -> 'first_id'
        ) order by i.sending_at, i.id), '[]')
        from intents i
        where i.kind = 'accounts/provision'
          and (i.phase = 'pending' or i.phase = 'in_doubt') and i.state <> 'queued'
          and i.sending_at is not null
          and coalesce(i.sent_payload ->> 'entity', ${at.platform}) = ${at.entity}
          and i.sent_payload -> 'subaccount' ->> 'assetClass' = ${at.assetClass}
          and (i.sent_payload -> 'subaccount' ->> 'accountSize')::numeric = ${at.accountSize}
      ) as open,
      array(
        select s.synthetic_hotkey
        from subaccounts s
        where s.synthetic_hotkey = any(${sql.array(hotkeys, 'text')})
      ) as owned`);

/** Which of these subaccounts have an owner in our tables. */
export const listOwnedSubaccounts = async (db: Db, hotkeys: (Hotkey | null)[]): Promise<ReadonlySet<Hotkey>> =>
  new Set(
    await db.anyFirst(sql.prepared('owned_subaccounts', z.object({ synthetic_hotkey: idSchema.hotkey }))`
      select s.synthetic_hotkey
      from subaccounts s
      where s.synthetic_hotkey = any(${sql.array(hotkeys, 'text')})`),
  );

/** When this database was last recovered from a backup, in epoch ms; 0: never. */
export const readRecoveredMs = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ recovered_ms: z.number() }))`
    select coalesce(extract(epoch from max(r.recovered_at)), 0)::double precision * 1000 as recovered_ms
    from recoveries r`);

const otherEntityRow = z.object({ entity: idSchema.hotkey, subaccounts: z.number() });

/**
 * The entity that has most of the subaccounts of owners without an entity of their own, and their number. Null if one of them belongs to `entity`, or
 * if there are none.
 */
export const findOtherEntity = (db: Db, entity: Hotkey): Promise<z.infer<typeof otherEntityRow> | null> =>
  db.maybeOne(sql.type(otherEntityRow)`
    select s.entity_hotkey as entity, count(*) as subaccounts
    from subaccounts s
    left join apps a on a.id = s.owner
    where a.entity_hotkey is null and s.status not in ('failed', 'eliminated')
      and not exists (select from subaccounts o where o.entity_hotkey = ${entity})
    group by s.entity_hotkey
    order by subaccounts desc
    limit 1`);

/** Whether a creation is open that was sent, or that may have been sent before the database was restored. */
export const hasOpenCreations = (db: Db): Promise<boolean> =>
  db.exists(sql.type(z.object({}))`
    select
    from intents i
    where i.kind = 'accounts/provision' and (i.phase = 'pending' or i.phase = 'in_doubt')
      and coalesce(i.sending_at, i.presumed_sent_at) is not null`);
