import type { Logger } from 'pino';
import { sql } from 'slonik';
import { z } from 'zod';
import { eachInTurn } from '../db/polling.ts';
import type { Db } from '../db/pool.ts';

/** The dependencies of `sweepJobs`. */
export type SweepDeps = { db: Db; log: Pick<Logger, 'warn'> };

/**
 * Safety net: queues a new job for open intents, mails, events of the processor and registrations that lost theirs, releases lost jobs, and
 * makes due what a clock that was set back has postponed. Normally there are none of these.
 * Deletes jobs that newer ones have replaced while a worker that died or stopped had them, and dead ones with nothing left to do. One
 * that fails keeps none of the others from being done.
 */
export async function sweepJobs({ db, log }: SweepDeps): Promise<void> {
  const steps = [
    async () => {
      const stranded = await requeueStranded(db);
      if (stranded > 0) log.warn({ stranded }, 'requeued intents without a job');
    },
    async () => {
      const unfinished = await requeueUnfinished(db);
      if (unfinished > 0) log.warn({ unfinished }, 'requeued mails, events or registrations without a job');
    },
    async () => {
      const lost = await releaseLostJobs(db);
      if (lost > 0) log.warn({ lost }, 'released lost jobs');
    },
    async () => {
      const postponed = await recallPostponed(db);
      if (postponed > 0) log.warn({ postponed }, "the database's clock was set back: made due what that had postponed");
    },
    () => dropSuperseded(db),
    () => dropFinished(db),
  ];
  await eachInTurn(steps, (step) => step());
}

/** Queues a job for every open intent that should have one and has none. Returns their number. */
export const requeueStranded = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select requeue_stranded() count`);

/** Queues a job for every mail, event of the processor and paid registration that has none. Returns their number. */
const requeueUnfinished = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select requeue_unfinished() count`);

/** Releases jobs of any task that are locked by a live worker but never reached it. Returns their number. */
const releaseLostJobs = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select release_lost_jobs() count`);

/** Makes due what is due later than anything plans it. Returns how much. */
const recallPostponed = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select recall_postponed() count`);

/** Deletes jobs that a newer job with their key has replaced and that no worker has any more. Returns their number. */
const dropSuperseded = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select drop_superseded_jobs() count`);

/** Deletes dead jobs whose intent, mail or event has ended since. Returns their number. */
const dropFinished = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select drop_finished_jobs() count`);
