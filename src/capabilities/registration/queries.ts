import { sql } from 'slonik';
import { z } from 'zod';
import type { Payer, Registrar } from '../../adapters/registrar/types.ts';
import type { Db } from '../../db/pool.ts';
import { type IntentId, idSchema, type OwnerId, type WalletAddress } from '../../kernel/ids.ts';
import type { SealContext, Sealer } from '../../kernel/seal.ts';
import { type PurchasePayload, purchasePayload } from './schema.ts';

const row = z.object({
  id: idSchema.intent,
  ex_address: idSchema.wallet,
  account_size: z.number(),
  payer: idSchema.wallet,
  status: z.enum(['pending', 'processing', 'registered', 'active', 'failed', 'eliminated', 'deregistered']),
  tx_hash: z.string().nullable(),
  problem: z.string().nullable(),
  message: z.string().nullable(),
  estimated_time: z.string().nullable(),
  polls: z.number(),
  paid_ago_ms: z.number().nullable(),
});

/** A registration. `paid_ago_ms` is by the database's clock; null if it is not paid. */
export type Registration = z.infer<typeof row>;

const columns = sql.fragment`
  r.id, r.ex_address, r.account_size, r.payer, r.status, r.tx_hash, r.problem, r.message, r.estimated_time, r.polls,
  extract(epoch from now() - r.paid_at)::double precision * 1000 as paid_ago_ms`;

/**
 * An owner's newest registration of an address in lower case. Null for an unknown address and for one of another owner.
 */
export const findRegistration = (db: Db, owner: OwnerId, exAddress: WalletAddress): Promise<Registration | null> =>
  db.maybeOne(sql.prepared('find_registration', row)`
    select ${columns}
    from registrations r
    where r.owner = ${owner} and r.ex_address = ${exAddress}
    order by r.status in ('pending', 'processing', 'registered', 'active') desc, r.created_at desc
    limit 1`);

/** The registration of a purchase, by its intent id. Throws if there is none. */
export const getRegistration = (db: Db, id: IntentId): Promise<Registration> =>
  db.one(sql.prepared('get_registration', row)`
    select ${columns}
    from registrations r
    where r.id = ${id}`);

const payloadRow = z.object({ sent: purchasePayload.nullable() });

/** The payload that a purchase committed before it was sent; null if it committed none. */
export const findPayload = (db: Db, id: IntentId): Promise<PurchasePayload | null> =>
  db.oneFirst(sql.prepared('find_purchase_payload', payloadRow)`
    select i.sent_payload
    from intents i
    where i.id = ${id}`);

/** Whether another purchase for this address may still be paying. */
export const isOtherPaying = (db: Db, id: IntentId, exAddress: WalletAddress): Promise<boolean> =>
  db.oneFirst(sql.prepared('other_purchase_paying', z.object({ paying: z.boolean() }))`
    select exists (
      select
      from intents i
      where i.lane = ${`registrar:${exAddress}`}
        and i.id <> ${id}
        and (i.phase = 'pending' or i.phase = 'in_doubt')
        and i.sending_at is not null
    ) as paying`);

/**
 * Whether an earlier purchase of the same address was paid and not recorded, and no operator has released it: it may have
 * turned out paid since this one was accepted.
 */
export const isPaidAlready = (db: Db, id: IntentId): Promise<boolean> =>
  db.exists(sql.prepared('earlier_purchase_paid', z.object({}))`
    select
    from registrations r
    join registrations p on p.owner = r.owner and p.ex_address = r.ex_address
    where r.id = ${id} and is_unrecorded(p)`);

/** The seal context of a purchase's key. */
export const purchaseKeySealContext = (id: IntentId): SealContext => ({
  table: 'registration_keys',
  row: id,
  column: 'sealed',
});

/** The key of a purchase, ready to sign; null after it has been wiped. The plain key never leaves this function. */
export async function openPayer(
  { db, sealer, registrar }: { db: Db; sealer: Sealer; registrar: Registrar },
  id: IntentId,
): Promise<Payer | null> {
  const sealed = await db.maybeOneFirst(sql.prepared('purchase_key', z.object({ sealed: z.instanceof(Buffer) }))`
    select k.sealed
    from registration_keys k
    where k.registration_id = ${id}`);
  return sealed && registrar.payerOf(sealer.open(sealed, purchaseKeySealContext(id)).toString('hex'));
}

/** The ids of all purchases. The nonces of their payments are derived from them. */
export const listPurchases = (db: Db): Promise<readonly string[]> =>
  db.anyFirst(sql.type(z.object({ id: idSchema.intent }))`select r.id from registrations r`);

/** Everyone who was paid for a registration so far, in lower case. */
export const listPayees = (db: Db): Promise<readonly string[]> =>
  db.anyFirst(sql.type(z.object({ payee: z.string() }))`
    select distinct lower(i.sent_payload -> 'authorization' ->> 'to') as payee
    from intents i
    where i.kind = 'registration/purchase' and i.sent_payload is not null`);
