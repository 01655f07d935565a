import type { Settlements } from '../db/settled.ts';
import type { Intent } from './intent.ts';
import type { IntentReader } from './read.ts';

/** Waits for an intent to end, at most so long. Answers its row as it is then. */
export type Wait = (intentId: string, waitMs: number) => Promise<Intent>;

/**
 * Joins the reader and the listening connection into a bounded wait. A wait of 0 reads nothing ahead of time. Once `stopping`
 * is aborted, every wait ends at its next look.
 */
export function waiting(read: IntentReader, settlements: Settlements, stopping: AbortSignal): Wait {
  return async (intentId, waitMs) => {
    const until = Date.now() + waitMs;
    for (;;) {
      const left = stopping.aborted ? 0 : Math.max(0, until - Date.now());
      const { woken, cancel } = settlements.next(intentId, left); // before the look: nothing can slip between
      const intent = await read(intentId);
      if (!intent) throw new Error('An accepted intent is missing');
      if (intent.settled_at !== null || left === 0) {
        cancel();
        return intent;
      }
      await woken;
    }
  };
}
