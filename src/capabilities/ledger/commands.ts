import { sql } from 'slonik';
import { z } from 'zod';
import type { BalanceChange, BalanceSeen } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';

const nothing = z.object({});

const PIECE = 1_000; // changes per transaction

/**
 * Stores changes of the platform's balance that are of our payments and payouts, with their fees and rates, and posts those. The
 * span that was read is stored with the last piece. Repeatable.
 */
export async function takeBalanceChanges(
  db: Db,
  changes: readonly BalanceChange[],
  { since, until }: { since: Date; until: Date },
): Promise<void> {
  for (let from = 0; from === 0 || from < changes.length; from += PIECE) {
    const readUntil = from + PIECE < changes.length ? since : until;
    await db.query(sql.type(nothing)`
      select take_balance_changes(${JSON.stringify(changes.slice(from, from + PIECE))}::jsonb, ${since.toISOString()}::timestamptz,
        ${readUntil.toISOString()}::timestamptz)`);
  }
}

/** Compares the ledger with the changes of the platform's balance that were read until then, see `prove_platform`. */
export async function provePlatform(db: Db, since: Date, minutes: number, until: Date): Promise<void> {
  await db.query(sql.type(nothing)`
    select prove_platform(${since.toISOString()}::timestamptz, ${minutes}, ${until.toISOString()}::timestamptz)`);
}

/** Compares the balance of a payout account with the ledger, see `note_balance`. True: they differ. */
export const noteBalance = (db: Db, accountId: string, shown: readonly BalanceSeen[]): Promise<boolean> =>
  db.oneFirst(sql.type(z.object({ differs: z.boolean() }))`
    select note_balance(${accountId}, ${JSON.stringify(shown)}::jsonb) differs`);

/** Queues a proof of the ledger now, or the part of one behind an account, under the key of the nightly one: one that is queued runs once. */
export async function requestProof(db: Db, after?: string): Promise<void> {
  await db.query(sql.prepared('request_proof', nothing)`
    select graphile_worker.add_job('ledger/prove', ${JSON.stringify({ after })}::json, job_key => 'ledger-prove', max_attempts => 25)::text`);
}
