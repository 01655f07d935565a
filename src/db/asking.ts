import { AsyncLocalStorage } from 'node:async_hooks';

/** What one caller asks the database for. `isAnswered`: its first statement had a response, so the next has the whole of its own limit. */
type Asking = { since: number; isAnswered: boolean };

const asking = new AsyncLocalStorage<Asking>();

/**
 * Returns a function that runs what asks the database for something, now or after a wait. The caller's waits for its turn in a batch, for a slot,
 * for a connection and for the first response count together from this call, or from that of the batch which it is part of.
 */
export function askFromNow(): <Result>(run: () => Result) => Result {
  const present = asking.getStore();
  const since = present && !present.isAnswered ? present : { since: performance.now(), isAnswered: false };
  return (run) => asking.run(since, run);
}

/** What is left of `wholeMs` for one wait that may take `limitMs` by itself. */
export function leftOf(wholeMs: number, limitMs: number): number {
  const present = asking.getStore();
  if (!present || present.isAnswered) return limitMs;
  return Math.max(0, Math.min(limitMs, present.since + wholeMs - performance.now()));
}

/** Notes that the database has responded. */
export function noteAnswer(): void {
  const present = asking.getStore();
  if (present) present.isAnswered = true;
}
