import { forgetExpired } from '../../src/capabilities/users/commands.ts';
import { inBatches } from '../../src/db/batches.ts';
import type { Db } from '../../src/db/pool.ts';
import type { Task } from '../../src/intents/task.ts';

/** Small batches hold locks only for milliseconds. A run is shorter than a stopping worker waits for its tasks. */
const BOUNDS = { most: 1_000, withinMs: 10_000 };

/** Deletes expired codes, tokens, throttles, paces and sign-ups in small batches. */
const forget: Task<unknown, { db: Db; stopping: AbortSignal }> = async (_payload, { db, stopping: signal }) => {
  await inBatches({ expired: (most) => forgetExpired(db, most) }, { ...BOUNDS, signal });
};

export default forget;
