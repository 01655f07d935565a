import type { Settlements } from '../db/settled.ts';
import type { Accepted } from './accept.ts';
import type { Intent } from './intent.ts';
import type { IntentReader } from './read.ts';

/** Waits for an intent to end, at most so long. Answers its row as it is then. */
export type Wait = (accepted: Accepted, waitMs: number) => Promise<Intent>;

/**
 * Joins the reader and the listening connection into a bounded wait. A wait of 0 for what was just accepted answers what was
 * written. Once `stopping` is aborted, every wait ends at its next look.
 */
export function waiting(read: IntentReader, settlements: Settlements, stopping: AbortSignal): Wait {
  return async ({ id, written }, waitMs) => {
    if (written && waitMs === 0) return written;
    const until = Date.now() + waitMs;
    for (;;) {
      const left = stopping.aborted ? 0 : Math.max(0, until - Date.now());
      const { woken, cancel } = settlements.next(id, left); // before the look: nothing can slip between
      const intent = await read(id);
      if (!intent) throw new Error('An accepted intent is missing');
      if (intent.settled_at !== null || left === 0) {
        cancel();
        return intent;
      }
      await woken;
    }
  };
}

/** Waits for a row that says over the same channel that it has changed, at most so long. Answers it as it is then. */
export type Until = <Row>(
  id: string,
  waitMs: number,
  look: () => Promise<{ row: Row; ended: boolean }>,
) => Promise<Row>;

/** The same wait for rows that are no intents. */
export const untilEnded =
  (settlements: Settlements, stopping: AbortSignal): Until =>
  async (id, waitMs, look) => {
    const until = Date.now() + waitMs;
    for (;;) {
      const left = stopping.aborted ? 0 : Math.max(0, until - Date.now());
      const { woken, cancel } = settlements.next(id, left); // before the look: nothing can slip between
      const { row, ended } = await look();
      if (ended || left === 0) {
        cancel();
        return row;
      }
      await woken;
    }
  };
