import { type Fields, numberOf } from './fields.ts';
import type { Attempts } from './signal-types.ts';

/** The miner pauses between its attempts inside one request, up to three. See venues/network.md#retries. */
const PAUSE_S = 5;

/** Members of the responses of older builds, whose `processing_time` is that of the last attempt alone. */
const OLDER = ['validators_processed', 'created_orders', 'error_messages'];

/**
 * How many attempts may be behind a response, which speaks for the last of them only: an earlier one may have had its effect
 * although its acknowledgement was lost. `one` is proven by a time that has no room for a pause: that which the miner
 * measured, else that from the request to the response.
 */
export function attemptsBehind(body: Fields, elapsedMs: number): Attempts {
  const processingS = numberOf(body.processing_time);
  if (processingS !== null && processingS >= PAUSE_S) return 'several';
  const isMeasured = processingS !== null && !OLDER.some((name) => name in body);
  return isMeasured || elapsedMs < PAUSE_S * 1_000 ? 'one' : 'several';
}
