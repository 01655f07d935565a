import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { AppId, PartnerId } from '../../../kernel/ids.ts';
import { type Act, auditEntry } from '../audit/commands.ts';

/** What becomes of the deliveries and mails that waited while an app or partner was disabled. */
export type Waiting = 'send' | 'drop';

const MOST = 1_000; // mails, and deliveries per endpoint, of one statement, which must end within its time limit

const droppedRow = z.object({ dropped: z.number() });

/**
 * Cancels in batches the mails and deliveries that wait for a disabled owner. The audit entry is committed with the first batch, since the process
 * may end before the last one. Safe to repeat: an owner that is already enabled keeps what waits for it.
 */
export async function dropWaiting(db: Db, owner: AppId | PartnerId, act: Act): Promise<void> {
  let isFirst = true;
  let dropped: number | null;
  do {
    dropped = await db.maybeOneFirst(sql.prepared('drop_waiting', droppedRow)`
      with part as materialized (
        select ${owner}::text as subject, drop_waiting(${owner}, ${MOST}) as dropped
        where is_disabled(${owner})
      ), begun as (
        select p.subject
        from part p
        where ${isFirst} and p.dropped > 0
      ), noted as (${auditEntry(act, 'begun')})
      select p.dropped
      from part p`);
    isFirst = false;
  } while (dropped !== null && dropped >= MOST);
}

/** Sends what waited for an owner. Call it in the transaction that enables the owner, after that statement. */
export async function resumeSending(db: Pick<Db, 'query'>, owner: AppId | PartnerId): Promise<void> {
  await db.query(sql.prepared('resume_sending', z.object({}))`select resume_sending(${owner})`);
}
