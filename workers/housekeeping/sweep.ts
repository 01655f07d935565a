import { requeueStranded } from '../../src/intents/sweep.ts';
import type { Task } from '../../src/intents/task.ts';

/** Gives open intents that lost their job a new one: a net under everything else. */
const sweep: Task<unknown> = async (_payload, { db, log }) => {
  const stranded = await requeueStranded(db);
  if (stranded > 0) log.warn({ stranded }, 'intents without a job were queued again');
};

export default sweep;
