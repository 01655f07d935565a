import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { PropAccount } from './queries.ts';
import { breachOf, type NetworkStatus, nextSyncMs, type Verdict, verdictOf } from './rules.ts';

const nothing = z.object({});

/**
 * Moves an account to the status the network shows, unless another write has moved it meanwhile. `shown` is null if the
 * network could not be read; then nothing is written. Returns the verdict.
 */
export async function recordSync(db: Db, account: PropAccount, shown: NetworkStatus | null): Promise<Verdict> {
  const verdict = verdictOf(account.status, shown);
  if (shown !== null) {
    const breach = verdict.status === 'eliminated' ? breachOf(shown) : null;
    await db.query(sql.prepared('record_sync', nothing)`
      select record_sync(${account.id}, ${account.status}, ${verdict.status}, ${verdict.reason}, ${shown.status}, ${shown.bucket},
        ${breach && JSON.stringify(breach)}::jsonb, ${shown.subaccountUuid}, ${shown.atMs ?? null})`);
  }
  return verdict;
}

/** Schedules the next sync of an account that is still in `provisioning`. */
export async function planNextSync(db: Db, { id, age_ms }: PropAccount): Promise<void> {
  await db.query(sql.prepared('plan_sync', nothing)`select plan_sync(${id}, ${nextSyncMs(age_ms) / 1000})`);
}

/**
 * Queues a sync of at most `limit` accounts that are due. They are due again after `intervalMs`. Returns the number
 * queued.
 */
export const queueDueSyncs = (db: Db, intervalMs: number, limit: number): Promise<number> =>
  db.oneFirst(
    sql.type(z.object({ count: z.number() }))`select sweep_prop_accounts(${intervalMs / 1000}, ${limit}) count`,
  );
