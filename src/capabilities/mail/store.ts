import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { NO_TURN } from '../../kernel/at-once.ts';
import type { UpstreamResult } from '../../kernel/upstream-result.ts';
import type { QueuedMail } from './queries.ts';

const PLAN_S = [2, 10, 30, 120, 300, 900, 1_800, 3_600] as const;
const LONGEST_S = 2 * 3_600;
/** The shortest and the longest time until a mail that found no turn looks for one again. */
const TURN_S = { bulk: [10, 600], usual: [1, 30] } as const;
const JITTER = 0.2;

/** Records the result of one attempt: ends the mail and wipes its secret, or schedules the next attempt. */
export async function recordMail(db: Db, mail: QueuedMail, result: UpstreamResult<unknown>): Promise<void> {
  if (result.kind === 'accepted') return endMail(db, mail.id, 'sent', null);
  if (result.kind === 'rejected') return endMail(db, mail.id, 'refused', result.slug);
  await db.query(sql.prepared('retry_mail', z.object({ planned: z.boolean() }))`
    select retry_mail(${mail.id}, ${nextAttemptS(mail, result.why)}, ${result.why}) planned`);
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

/** Seconds until the next attempt, ± 20 %. */
const nextAttemptS = (mail: QueuedMail, why: string) =>
  (why === NO_TURN ? nextTurnS(mail) : (PLAN_S[mail.attempts] ?? LONGEST_S)) *
  (1 - JITTER + 2 * JITTER * Math.random());

/** Seconds until a mail without a turn tries again, which does not count as an attempt: half its age, so that under load fewer jobs try in vain. */
const nextTurnS = ({ age_s, is_bulk }: QueuedMail) => {
  const [shortest, longest] = TURN_S[is_bulk ? 'bulk' : 'usual'];
  return Math.min(Math.max(shortest, age_s / 2), longest);
};
