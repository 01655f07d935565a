import { forgetExpired } from '../../src/capabilities/users/commands.ts';
import { inBatches, takingAll } from '../../src/db/batches.ts';
import type { Db } from '../../src/db/pool.ts';
import type { Task } from '../../src/intents/task.ts';

/** Small batches hold locks only for milliseconds. A run is shorter than a stopping worker waits for its tasks. */
const BOUNDS = { most: 1_000, withinMs: 10_000 };

/** Deletes expired codes, tokens, throttles, paces and sign-ups in small batches. */
const forget: Task<unknown, { db: Db; stopping: AbortSignal }> = async (_payload, { db, stopping: signal }) => {
  const { failed } = await inBatches({ expired: takingAll((most) => forgetExpired(db, most)) }, { ...BOUNDS, signal });
  if (failed.expired) throw failed.expired;
};

export default forget;
