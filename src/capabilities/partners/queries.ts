import { LRUCache } from 'lru-cache';
import { sql } from 'slonik';
import { z } from 'zod';
import { batch } from '../../db/batch.ts';
import type { Db } from '../../db/pool.ts';
import { mostEntries } from '../../kernel/cache.ts';
import { digest, idSchema } from '../../kernel/ids.ts';
import type { Partner } from '../../kernel/principal.ts';

/** Finds the partner of a key. Null for unknown, revoked and expired keys and for disabled partners. */
export type PartnerFinder = (key: string) => Promise<Partner | null>;

const keyRow = z.object({
  digest: z.instanceof(Buffer),
  key_id: z.string(),
  partner_id: idSchema.partner,
  per_minute: z.number(),
  known_ms: z.number(),
});

const KNOWN_MS = 1_000;
const MOST_KNOWN = 10_000;

/**
 * Creates the process's finder of partners. A partner that was found is known for a second and not beyond its key's expiry, while `isListening`
 * says that changes of partners and keys are announced: then `forget` is called. A key that was not found is always read. Concurrent reads share a
 * query.
 */
export function partnerFinder(db: Db, isListening: () => boolean): { find: PartnerFinder; forget(): void } {
  const known = new LRUCache<string, Partner>(mostEntries(MOST_KNOWN));
  let changes = 0;
  const read = batch((digests: string[]) => readPartners(db, digests));
  return {
    async find(key) {
      const name = digest(key).toString('hex');
      const cached = isListening() ? known.get(name) : undefined;
      if (cached) return cached;
      const [before, askedAt] = [changes, performance.now()];
      const found = await read(name);
      const ttl = Math.floor((found?.knownMs ?? 0) - (performance.now() - askedAt));
      if (found && ttl > 0 && changes === before) known.set(name, found.partner, { ttl, size: 1 });
      return found?.partner ?? null;
    },
    forget() {
      changes += 1;
      known.clear();
    },
  };
}

async function readPartners(db: Db, digests: string[]): Promise<(Found | null)[]> {
  const distinct = [...new Set(digests)]; // concurrent requests mostly use one partner's key
  const rows = await db.any(sql.prepared('find_partner_keys', keyRow)`
    select k.digest, k.id as key_id, k.partner_id, p.requests_per_minute as per_minute,
      floor(least(1000 * extract(epoch from k.expires_at - now()), ${KNOWN_MS}))::integer as known_ms
    from partner_keys k
    join partners p on p.id = k.partner_id
    where k.digest = any(${sql.array(
      distinct.map((hex) => Buffer.from(hex, 'hex')),
      'bytea',
    )})
      and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > now())
      and p.disabled_at is null`);
  const owners = new Map(rows.map((row) => [row.digest.toString('hex'), row]));
  return digests.map((hex) => foundOf(owners.get(hex)));
}

/** `knownMs`: not beyond the key's expiry. */
type Found = { partner: Partner; knownMs: number };

function foundOf(row: z.infer<typeof keyRow> | undefined): Found | null {
  if (row === undefined) return null;
  const { partner_id: owner, key_id: keyId, per_minute: perMinute, known_ms: knownMs } = row;
  return { partner: { kind: 'partner', owner, keyId, perMinute }, knownMs };
}

/** Whether any partner exists. */
export const hasPartners = (db: Db): Promise<boolean> => db.exists(sql.unsafe`select from partners`);
