import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import type { Answer } from '../kernel/answer.ts';
import type { QueuedMail } from './queries.ts';

const PLAN_S = [2, 10, 30, 120, 300, 900, 1_800, 3_600] as const;
const LONGEST_S = 2 * 3_600;
const JITTER = 0.2;

/** Records what became of one try: the end of the mail, with its secret wiped, or its next try. */
export async function recordMail(db: Db, mail: QueuedMail, answer: Answer<unknown>): Promise<void> {
  if (answer.kind === 'accepted') return endMail(db, mail.id, 'sent', null);
  if (answer.kind === 'rejected') return endMail(db, mail.id, 'refused', answer.slug);
  await db.query(sql.prepared('retry_mail', z.object({ planned: z.boolean() }))`
    select retry_mail(${mail.id}, ${nextTryS(mail.tries)}, ${answer.why}) planned`);
}

/** Ends a mail and wipes its secret. */
export async function endMail(
  db: Db,
  mailId: string,
  state: 'sent' | 'refused' | 'expired',
  fault: string | null,
): Promise<void> {
  await db.query(sql.prepared('end_mail', z.object({}))`
    update mails
    set state = ${state}, secret = null, fault = ${fault}, ended_at = now(), tries = tries + 1
    where id = ${mailId} and state = 'queued'`);
}

/** Seconds until the next try, ± 20 %. */
const nextTryS = (tries: number) => (PLAN_S[tries] ?? LONGEST_S) * (1 - JITTER + 2 * JITTER * Math.random());
