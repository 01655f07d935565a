import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const IDLE_MS = 100;

/** A job of the bench: the intent to execute. */
export type Payload = { intent_id: string };

/**
 * Moves jobs of a kind, which the bench queued with its intents, into another queue, for as long as the process runs.
 * All jobs of one take-over are handed to `add` at once.
 */
export async function takeOver(kind: string, add: (payloads: Payload[]) => Promise<unknown>): Promise<never> {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
  for (;;) {
    const { rows } = await pool.query<{ payload: Payload }>(
      'delete from queue_jobs j where j.task = $1 returning j.payload',
      [kind],
    );
    if (rows.length > 0) await add(rows.map(({ payload }) => payload));
    else await sleep(IDLE_MS);
  }
}
