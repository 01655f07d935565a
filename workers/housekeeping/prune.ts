import { inBatches } from '../../src/db/batches.ts';
import { prunings } from '../../src/db/retention.ts';
import type { Task } from '../../src/intents/task.ts';

const MOST = 1_000; // rows of a batch: locks are held for milliseconds
const WITHIN_MS = 10_000; // less than a stopping worker waits for its tasks

/** Takes away what has been kept for long enough, in small batches; the next run goes on where this one ends. */
const prune: Task<unknown> = async (_payload, { db, config, stopping, log }) => {
  const pruned = await inBatches(prunings(db, config), { most: MOST, withinMs: WITHIN_MS, signal: stopping });
  if (Object.keys(pruned).length > 0) log.info({ pruned }, 'kept for long enough');
};

export default prune;
