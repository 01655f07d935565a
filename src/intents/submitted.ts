import type { Db } from '../db/pool.ts';
import type { Accepted } from './accept.ts';

type Reply = { status: number; body: unknown; headers?: Record<string, string> };
type Call = {
  commit: <R extends Reply>(write: (db: Db) => Promise<R>, replacedWithinMs: number) => Promise<R>;
  waitMs(): number;
};
type Submission<Pending> = { accepted: Accepted; pending: Pending };

/**
 * Submits an intent whose acceptance keeps no Idempotency-Key of its own. Under a key of the caller, the intent and the
 * pending reply are one commit; the final reply replaces the pending one later.
 */
export async function submitted<Pending extends Reply>(
  { commit, waitMs }: Call,
  submit: (db: Db) => Promise<Submission<Pending>>,
): Promise<Submission<Pending>> {
  const submissions: Submission<Pending>[] = []; // of each attempt: PostgreSQL may undo one because of others
  await commit(async (db) => {
    const submission = await submit(db);
    submissions.push(submission);
    return submission.pending;
  }, waitMs());
  return submissions.at(-1) as Submission<Pending>; // as: the last one was committed
}
