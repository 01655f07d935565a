import type { Logger } from 'pino';
import { sql } from 'slonik';
import { z } from 'zod';
import type { PublicKey } from '../kernel/head-keys.ts';
import { type Db, openPool } from './pool.ts';

type Key = Pick<PublicKey, 'kid' | 'x'>;

const keyRow = z.object({ kid: z.string(), x: z.string() });

/**
 * Throws if a key that has signed receipts of agreements is missing here, or if its id names another key: its receipts could not be verified. Accepts
 * a database that is not migrated yet.
 */
export async function requireAgreementKeys(url: string, keys: readonly Key[]): Promise<void> {
  const db = await openPool(url, 1, () => {});
  try {
    const isMigrated = await db.exists(sql.type(z.object({}))`select where to_regclass('agreement_keys') is not null`);
    const lost = isMigrated ? await findLost(db, keys) : null;
    if (lost) throw new Error(lacking(lost.kid));
  } finally {
    await db.end();
  }
}

/** Records the first of these keys as one that signs receipts. */
export async function recordAgreementKey(url: string, keys: readonly Key[]): Promise<void> {
  const db = await openPool(url, 1, () => {});
  try {
    await db.query(sql.type(z.object({}))`
      insert into agreement_keys (kid, x)
      select k.kid, k.x
      from jsonb_to_recordset(${JSON.stringify(keys.slice(0, 1))}::jsonb) as k (kid text, x text)
      on conflict (kid) do nothing`);
  } finally {
    await db.end();
  }
}

/** Says by an alert if a key that has signed receipts is not among those of a web process, which may have been started without a release. */
export async function noteAgreementKeys(db: Db, keys: readonly Key[], log: Pick<Logger, 'error'>): Promise<void> {
  const lost = await findLost(db, keys);
  if (lost) log.error({ alert: 'agreement_key_missing', key_id: lost.kid }, lacking(lost.kid));
}

/** A recorded key that is not among these; null if none is missing. */
async function findLost(db: Db, keys: readonly Key[]): Promise<Key | null> {
  const signed = await db.any(sql.type(keyRow)`select k.kid, k.x from agreement_keys k`);
  return signed.find(({ kid, x }) => !keys.some((key) => key.kid === kid && key.x === x)) ?? null;
}

const lacking = (kid: string) =>
  `Setting AGREEMENT_KEYS: the key ${kid} has signed receipts, and is missing or another one. Add it behind the new one ` +
  '(src/docs/operating.md, Key rotation); if it must not count any more, delete it from agreement_keys.';
