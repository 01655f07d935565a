import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { PropAccount } from './queries.ts';
import { breachOf, type NetworkStatus, nextSyncMs, type Verdict, verdictOf } from './rules.ts';

const nothing = z.object({});

/**
 * Moves an account to the status the network shows, unless another write has moved it meanwhile. `shown` is null if the
 * network could not be read; then nothing is written. Returns the verdict; `synced` is false as well if a newer state, which says otherwise, has been
 * stored already.
 */
export async function recordSync(db: Db, account: PropAccount, shown: NetworkStatus | null): Promise<Verdict> {
  const verdict = verdictOf(account.status, shown);
  if (shown === null) return verdict;
  const breach = verdict.status === 'eliminated' ? breachOf(shown) : null;
  await db.query(sql.prepared('record_sync', nothing)`
    select record_sync(${account.id}, ${account.status}, ${verdict.status}, ${verdict.reason}, ${shown.status}, ${shown.bucket},
      ${breach && JSON.stringify(breach)}::jsonb, ${shown.subaccountUuid}, ${shown.atMs ?? null})`);
  return { ...verdict, synced: verdict.synced && !(await isOutdated(db, account, shown, verdict)) };
}

/** Whether the stored state of an account is newer than this one, and has another status. */
const isOutdated = async (
  db: Db,
  { id }: PropAccount,
  { atMs }: NetworkStatus,
  { status }: Verdict,
): Promise<boolean> =>
  atMs != null &&
  (await db.exists(sql.type(nothing)`
    select from prop_accounts a where a.id = ${id} and a.shown_at > to_timestamp(${atMs / 1000}) and a.status <> ${status}`));

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
