import { sql } from 'slonik';
import { z } from 'zod';
import { batch } from '../../db/batch.ts';
import type { Db } from '../../db/pool.ts';
import { digest, idSchema } from '../../kernel/ids.ts';
import type { Partner } from '../../kernel/principal.ts';

/** Finds the partner of a key. Null for unknown and revoked keys and for disabled partners. */
export type PartnerFinder = (key: string) => Promise<Partner | null>;

const keyRow = z.object({
  digest: z.instanceof(Buffer),
  key_id: z.string(),
  partner_id: idSchema.partner,
  per_minute: z.number(),
});

/**
 * Creates the process's finder of partners. It reads every key from the database, without a cache. Concurrent reads
 * share a query.
 */
export function partnerFinder(db: Db): PartnerFinder {
  return batch(async (keys: string[]) => {
    const distinct = new Map(keys.map((key) => [key, digest(key)])); // concurrent requests mostly use one partner's key
    const rows = await db.any(sql.prepared('find_partner_keys', keyRow)`
      select k.digest, k.id as key_id, k.partner_id, p.requests_per_minute as per_minute
      from partner_keys k
      join partners p on p.id = k.partner_id
      where k.digest = any(${sql.array([...distinct.values()], 'bytea')})
        and k.revoked_at is null
        and p.disabled_at is null`);
    const owners = new Map(rows.map((row) => [row.digest.toString('hex'), row]));
    return keys.map((key) => partner(owners.get(String(distinct.get(key)?.toString('hex')))));
  });
}

const partner = (row: z.infer<typeof keyRow> | undefined): Partner | null =>
  row === undefined ? null : { kind: 'partner', owner: row.partner_id, keyId: row.key_id, perMinute: row.per_minute };

/** Whether any partner exists. */
export const hasPartners = (db: Db): Promise<boolean> => db.exists(sql.unsafe`select from partners`);
