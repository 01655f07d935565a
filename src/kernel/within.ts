import { setTimeout as wait } from 'node:timers/promises';

/** The result of work that may hang; null if it takes longer than `timeoutMs`. */
export async function within<Result>(underWay: Promise<Result>, timeoutMs: number): Promise<Result | null> {
  const done = new AbortController();
  const late = wait(timeoutMs, null, { signal: done.signal }).catch(() => null);
  return Promise.race([underWay, late]).finally(() => done.abort());
}
