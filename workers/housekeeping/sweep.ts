import { releaseLostJobs, requeueStranded } from '../../src/intents/sweep.ts';
import type { Task } from '../../src/intents/task.ts';

/** Gives open intents that lost their job a new one, and frees jobs that were lost on their way: a net under everything else. */
const sweep: Task<unknown> = async (_payload, { db, log }) => {
  const stranded = await requeueStranded(db);
  if (stranded > 0) log.warn({ stranded }, 'intents without a job were queued again');
  const lost = await releaseLostJobs(db);
  if (lost > 0) log.warn({ lost }, 'jobs that no worker was at were freed');
};

export default sweep;
