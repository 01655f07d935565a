import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import type { PropAccount } from './queries.ts';
import { nextSyncMs, type Shown, type Verdict, verdictOf } from './rules.ts';

const nothing = z.object({});

/**
 * Moves an account to where the network shows it, along the table and from where it was seen to be; null stands for a look
 * that failed. Answers the verdict.
 */
export async function recordSync(db: Db, account: PropAccount, shown: Shown | null): Promise<Verdict> {
  const verdict = verdictOf(account.status, shown);
  if (shown !== null) {
    await db.query(sql.prepared('record_sync', nothing)`
      select record_sync(${account.id}, ${account.status}, ${verdict.status}, ${verdict.reason}, ${shown.status}, ${shown.bucket})`);
  }
  return verdict;
}

/** Plans the next look at an account that is still being made. */
export async function planNextSync(db: Db, { id, age_ms }: PropAccount): Promise<void> {
  await db.query(sql.prepared('plan_sync', nothing)`select plan_sync(${id}, ${nextSyncMs(age_ms) / 1000})`);
}

/** Queues a look at accounts that are due; they are due again after `everyMs`. Answers how many. */
export const sweepAccounts = (db: Db, everyMs: number, most: number): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select sweep_prop_accounts(${everyMs / 1000}, ${most}) count`);
