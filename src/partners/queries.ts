import { sql } from 'slonik';
import { z } from 'zod';
import { batched } from '../db/batched.ts';
import type { Db } from '../db/pool.ts';
import { digest } from '../kernel/digest.ts';
import type { Partner } from '../kernel/principal.ts';

/** Finds who a partner key belongs to; null for unknown and revoked keys and disabled partners. */
export type PartnerFinder = (key: string) => Promise<Partner | null>;

const keyRow = z.object({ digest: z.instanceof(Buffer), partner_id: z.string() });

/** Makes the process's finder of partners. Every key is looked up anew; look-ups that come together share a query. */
export function partnerFinder(db: Db): PartnerFinder {
  return batched(async (keys: string[]) => {
    const distinct = new Map(keys.map((key) => [key, digest(key)])); // a crowd is mostly one partner's
    const rows = await db.any(sql.prepared('find_partner_keys', keyRow)`
      select k.digest, k.partner_id
      from partner_keys k
      join partners p on p.id = k.partner_id
      where k.digest = any(${sql.array([...distinct.values()], 'bytea')})
        and k.revoked_at is null
        and p.disabled_at is null`);
    const owners = new Map(rows.map((row) => [row.digest.toString('hex'), row.partner_id]));
    return keys.map((key) => partner(owners.get(String(distinct.get(key)?.toString('hex')))));
  });
}

const partner = (owner: string | undefined): Partner | null =>
  owner === undefined ? null : { kind: 'partner', owner };

/** Whether any partner has been made. */
export const hasPartners = (db: Db): Promise<boolean> => db.exists(sql.unsafe`select from partners`);
