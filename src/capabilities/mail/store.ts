import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { NO_TURN } from '../../kernel/at-once.ts';
import type { UpstreamResult } from '../../kernel/upstream-result.ts';
import type { QueuedMail } from './queries.ts';

const PLAN_S = [2, 10, 30, 120, 300, 900, 1_800, 3_600] as const;
const LONGEST_S = 2 * 3_600;
const LONGEST_TURN_S = 30;
const JITTER = 0.2;

/** Records the result of one attempt: ends the mail and wipes its secret, or schedules the next attempt. */
export async function recordMail(db: Db, mail: QueuedMail, result: UpstreamResult<unknown>): Promise<void> {
  if (result.kind === 'accepted') return endMail(db, mail.id, 'sent', null);
  if (result.kind === 'rejected') return endMail(db, mail.id, 'refused', result.slug);
  await db.query(sql.prepared('retry_mail', z.object({ planned: z.boolean() }))`
    select retry_mail(${mail.id}, ${nextAttemptS(mail.attempts, result.why)}, ${result.why}) planned`);
}

/** Lets a mail in the name of a disabled app or partner wait until that is enabled, or until it expires. */
export async function holdMail(db: Db, mailId: string): Promise<void> {
  await db.query(sql.prepared('hold_mail', z.object({}))`select hold_mail(${mailId})`);
}

/** Ends a mail, wipes its secret and notifies those who wait for it. */
export async function endMail(
  db: Db,
  mailId: string,
  state: 'sent' | 'refused' | 'expired',
  fault: string | null,
): Promise<void> {
  await db.query(sql.prepared('end_mail', z.object({}))`select end_mail(${mailId}, ${state}, ${fault})`);
}

/** Seconds until the next attempt, ± 20 %. A mail that found no turn comes again soon: the server takes others meanwhile, or soon again. */
const nextAttemptS = (attempts: number, why: string) => {
  const plannedS = why === NO_TURN ? Math.min(attempts + 1, LONGEST_TURN_S) : (PLAN_S[attempts] ?? LONGEST_S);
  return plannedS * (1 - JITTER + 2 * JITTER * Math.random());
};
