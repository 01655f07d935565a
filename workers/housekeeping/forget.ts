import { inBatches } from '../../src/db/batches.ts';
import type { Task } from '../../src/intents/task.ts';
import { forgetExpired } from '../../src/users/sessions/intents.ts';

const MOST = 1_000; // rows of a batch: locks are held for milliseconds
const WITHIN_MS = 10_000; // less than a stopping worker waits for its tasks

/** Forgets codes, tokens, throttles and sign-ups that have expired, in small batches. */
const forget: Task<unknown> = async (_payload, { db, stopping }) => {
  await inBatches(
    { expired: (most) => forgetExpired(db, most) },
    { most: MOST, withinMs: WITHIN_MS, signal: stopping },
  );
};

export default forget;
