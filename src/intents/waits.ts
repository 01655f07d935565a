import { sql } from 'slonik';
import { z } from 'zod';
import { batchPerPool, each } from '../db/batch.ts';
import type { Db } from '../db/pool.ts';
import { type IntentId, idSchema } from '../kernel/ids.ts';

/** What an open intent may wait for, in words for its caller. The names are those of the SQL function `ops.waits_of`. */
const REASONS = {
  in_doubt: 'It was sent and its effect is not known yet; it is being looked up.',
  response: 'It was sent, and the response has not arrived yet.',
  lane: 'It waits for an earlier write about the same subject, which it must not overtake.',
  deadline: 'Its deadline has passed. It expires without being sent.',
  worker: 'No worker is running.',
  job: 'The worker that had it is gone. Another one takes it over within seconds.',
  doubts: 'The upstream works on a limited number of requests at once, and the outcome of some of them is unknown.',
  slots: 'The upstream works on a limited number of requests at once.',
  pace: 'The network accepts no more signals of this trader in this minute.',
  paused: 'The exchange has asked for a pause.',
  stopped: 'The operators of this service have paused what is sent to this upstream or for this caller.',
  budget: "It is being executed, within the exchange's limit of requests a minute.",
  running: 'It is being executed.',
  due: 'It is tried again after a pause.',
  queue: 'It waits for a free worker.',
} as const;

type Reason = keyof typeof REASONS;

const waitRow = z.object({
  id: idSchema.intent,
  reason: z.custom<Reason>((name) => typeof name === 'string' && name in REASONS),
  until: z.string().nullable(),
  behind: idSchema.intent.nullable(),
  again_s: z.number(),
});

/**
 * What an open intent waits for. `until`: when that ends at the latest, where it is known. `behind`: the intent before it, if
 * the same owner has it: purchases for one address share a lane.
 * `again_s`: after how many seconds it is worth asking again.
 */
export type IntentWait = z.infer<typeof waitRow>;

/** Why an open intent is where it is; null if it has ended. Concurrent reads share a query. */
export const waitOf: (db: Db, intentId: IntentId) => Promise<IntentWait | null> = batchPerPool(
  async (db, ids: IntentId[]): Promise<(IntentWait | null)[]> => {
    const rows = await db.any(sql.prepared('intent_waits', waitRow)`
      select w.intent_id as id, w.reason, w.until, w.again_s, (
          select b.id
          from intents b
          where b.id = w.behind and b.owner = w.owner
        ) as behind
      from ops.waits_of(array(select wanted.id::uuid from ${each(ids)} as wanted (id))) w`);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id) ?? null);
  },
);

/** The wait as the API shows it to the owner of the intent. */
export const shownWait = ({ reason, until, behind }: IntentWait) => ({
  reason,
  message: REASONS[reason],
  until,
  intent_id: behind,
});

/** The `Retry-After` of a response about an open intent. Without a wait, one second. */
export const retryAfterOf = (wait: IntentWait | null | undefined): string => String(Math.ceil(wait?.again_s ?? 1));
