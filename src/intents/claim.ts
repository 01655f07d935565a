import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { type Held, type Intent, intentRow } from './intent.ts';

/** Columns of an intent, for queries that read it whole. */
export const intentColumns = sql.fragment`
  i.id, i.kind, i.owner, i.lane, i.state, i.asked, i.sent, i.outcome, i.fence, i.tries, i.looks,
  i.created_at, i.deadline_at, i.sending_at, i.settled_at,
  coalesce(extract(epoch from now() - i.sending_at), 0)::double precision * 1000 as sent_ago_ms`;

/**
 * Takes an intent and raises its fence. Null: it has ended, is being looked up, or its deadline passed unsent and it
 * ended here as expired. With `sending_at` set, bytes may have left before: look first, never send.
 */
export const claim = (db: Db, intentId: string): Promise<Intent | null> =>
  db.maybeOne(sql.prepared('claim_intent', intentRow)`select ${intentColumns} from claim_intent(${intentId}) i`);

/** An intent whose effect is unknown, to be looked up. The fence stays: a late answer of the sender may still settle it. */
export const findDoubtful = (db: Db, intentId: string): Promise<Intent | null> =>
  db.maybeOne(sql.prepared('doubtful_intent', intentRow)`
    select ${intentColumns}
    from intents i
    where i.id = ${intentId} and i.state = 'in_doubt'`);

/** Commits what goes out and that bytes may leave from now on. False: the claim is lost or the deadline has passed, so nothing may be sent. */
export const beginSending = (db: Db, held: Held, sent: Record<string, unknown>): Promise<boolean> =>
  db.oneFirst(sql.prepared('begin_sending', z.object({ ok: z.boolean() }))`
    select begin_sending(${held.id}, ${held.fence}, ${JSON.stringify(sent)}::jsonb) ok`);
