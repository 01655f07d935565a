import { AsyncLocalStorage } from 'node:async_hooks';

/** The waits of one caller of the database. `isAnswered`: its first statement had a response, so the next has the whole of its own limit. */
type Waits = { since: number; isAnswered: boolean };

const waits = new AsyncLocalStorage<Waits>();

/**
 * Returns a function that runs what needs the database, now or after a wait. The caller's waits for its turn in a batch, for a slot, for a
 * connection and for the first response count together from this call, or from that of the batch which it is part of.
 */
export function waitFromNow(): <Result>(run: () => Result) => Result {
  const present = waits.getStore();
  const counted = present && !present.isAnswered ? present : { since: performance.now(), isAnswered: false };
  return (run) => waits.run(counted, run);
}

/** What is left of `wholeMs` for one wait that may take `limitMs` by itself. */
export function leftOf(wholeMs: number, limitMs: number): number {
  const present = waits.getStore();
  if (!present || present.isAnswered) return limitMs;
  return Math.max(0, Math.min(limitMs, present.since + wholeMs - performance.now()));
}

/** Notes that the database has responded. */
export function noteAnswer(): void {
  const present = waits.getStore();
  if (present) present.isAnswered = true;
}
