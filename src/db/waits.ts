import { AsyncLocalStorage } from 'node:async_hooks';

/** The waits of one caller of the database. `hasResponse`: its first statement had one, so the next has the whole of its own limit. */
type Waits = { since: number; hasResponse: boolean };

const waits = new AsyncLocalStorage<Waits>();

/**
 * Returns a function that runs what needs the database, now or after a wait. The caller's waits for its turn in a batch, for a slot, for a
 * connection and for the first response count together from this call, or from that of the batch which it is part of.
 */
export function waitFromNow(): <Result>(run: () => Result) => Result {
  const present = waits.getStore();
  const counted = present && !present.hasResponse ? present : newWaits();
  return (run) => waits.run(counted, run);
}

/** Runs what needs the database as the beginning of its waits, whatever it waited for before. */
export const waitAnew = <Result>(run: () => Result): Result => waits.run(newWaits(), run);

const newWaits = (): Waits => ({ since: performance.now(), hasResponse: false });

/** What is left of `wholeMs` for one wait that may take `limitMs` by itself. */
export function leftOf(wholeMs: number, limitMs: number): number {
  const present = waits.getStore();
  if (!present || present.hasResponse) return limitMs;
  return Math.max(0, Math.min(limitMs, present.since + wholeMs - performance.now()));
}

/** Notes that the database has responded. */
export function noteResponse(): void {
  const present = waits.getStore();
  if (present) present.hasResponse = true;
}
