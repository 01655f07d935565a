import type { Task } from '../../src/intents/task.ts';
import { requeueStrandedLanes } from '../../src/webhooks/outcomes.ts';

/** Gives lanes that lost their job a new one: a net under everything else. */
const sweep: Task<unknown> = async (_payload, { db, log }) => {
  const stranded = await requeueStrandedLanes(db);
  if (stranded > 0) log.warn({ stranded }, 'endpoints without a job were started again');
};

export default sweep;
