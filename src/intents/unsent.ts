import { databaseIsAway, wasGivenUp } from '../db/conflicts.ts';
import { type Unreachable, unreachable } from '../kernel/upstream-result.ts';

/** Thrown by `send` before its first byte. */
class Unsent extends Error {}

/**
 * Catches the faults of what `send` reads from the database before its first byte. Nothing was sent then, and only this worker knows: the intent
 * goes back to its queue, where any other fault of `send` leaves it in doubt.
 */
export function throwUnsent(cause: unknown): never {
  throw databaseIsAway(cause) || wasGivenUp(cause) ? new Unsent('nothing was sent', { cause }) : cause;
}

/** The result of a `send` that threw before its first byte. Throws every other error again. */
export function asUnsent(error: unknown): Unreachable {
  if (error instanceof Unsent) return unreachable('the database failed before anything was sent');
  throw error;
}
