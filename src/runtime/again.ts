import { LRUCache } from 'lru-cache';
import { databaseIsAway, wasGivenUp } from '../db/conflicts.ts';
import { nextAttemptMs } from '../intents/backoff.ts';
import { mostEntries } from '../kernel/cache.ts';
import { epochMs } from '../kernel/work.ts';

const SOON_TIMES = 15; // within a minute or two; then the queue waits longer from time to time
const COUNTED_MS = 3_600_000;
const MOST_COUNTED = 20_000;

/** In how many milliseconds a job whose task threw is to run again; null if the queue decides. */
export type AgainSoon = (task: string, payload: unknown, error: unknown) => number | null;

/**
 * Makes the function that lets a job run again soon if the database was away for its task, or gave up a statement. The queue itself would wait
 * twice as long as the fault has lasted, and a lane behind its first intent. Not a job of the crontab: its next one comes in any case.
 */
export function againSoon(): AgainSoon {
  const counts = new LRUCache<string, number>({ ...mostEntries(MOST_COUNTED), ttl: COUNTED_MS, noUpdateTTL: true });
  return (task, payload, error) => {
    if (!(databaseIsAway(error) || wasGivenUp(error)) || Object(payload)._cron) return null;
    const job = `${task} ${JSON.stringify(payload)}`;
    const count = 1 + (counts.get(job) ?? 0);
    counts.set(job, count, { size: 1 });
    return count <= SOON_TIMES ? nextAttemptMs(count) : null;
  };
}

type Spec = { runAt: Date; maxAttempts: number; priority: number; jobKey?: string };

/** What the queue hands to a task beside the payload; nothing, if something else calls the task. */
type Queued = {
  job?: { key: string | null; max_attempts: number; priority: number };
  addJob?(task: string, payload: unknown, spec: Spec): Promise<unknown>;
};

/** Leaves a job to whoever is free in `delayMs`. The present one is then done. False: not so, or it is no job of the queue. */
export async function passOn(
  task: string,
  payload: unknown,
  { job, addJob }: Queued = {},
  delayMs: number | null,
): Promise<boolean> {
  if (delayMs === null || !job || !addJob) return false;
  const { key, max_attempts: maxAttempts, priority } = job;
  const runAt = new Date(epochMs() + delayMs);
  await addJob(task, payload, { runAt, maxAttempts, priority, ...(key !== null && { jobKey: key }) });
  return true;
}
