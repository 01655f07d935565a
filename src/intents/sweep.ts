import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';

/** Queues a job for every open intent that should have one and has none. Answers how many there were; normally 0. */
export const requeueStranded = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select requeue_stranded() count`);

/** Frees jobs, of any task, that a living worker fetched and never heard of. Answers how many there were; normally 0. */
export const releaseLostJobs = (db: Db): Promise<number> =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select release_lost_jobs() count`);
