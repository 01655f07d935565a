import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';

const nothing = z.object({});

/** Records that the exchange confirmed a key, and when it ends (epoch ms). One that waited for it now signs; the earlier key is retired. */
export async function confirmKey(db: Db, keyId: string, validUntilMs: number | null): Promise<void> {
  await db.query(
    sql.type(nothing)`select confirm_key(${keyId}, to_timestamp(${validUntilMs}::double precision / 1000))`,
  );
}

/**
 * Removes a key that the exchange does not list, and its enrollment if no earlier key signs for it. One that it had rejected
 * before stays, and signs nothing.
 */
export async function rejectKey(db: Db, keyId: string): Promise<void> {
  await db.query(sql.type(nothing)`select reject_key(${keyId})`);
}

/** Plans the next check of keys that the exchange has not confirmed, unless an earlier one is planned. */
export async function planKeyCheck(db: Db, delayS: number): Promise<void> {
  await db.query(sql.type(nothing)`select plan_key_check(${delayS})::text`);
}

/** Wipes retired keys that signed no open intent. Returns the number wiped. */
export const wipeRetiredKeys = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select wipe_retired_keys() count`);
