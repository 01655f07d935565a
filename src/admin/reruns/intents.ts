import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { judgementRow } from './queries.ts';

const resultRow = judgementRow.extend({ done: z.boolean() });
type Judgement = z.infer<typeof judgementRow>;

/**
 * Runs an intent once more where that is safe: unsent it is queued, sent it is looked up. One that has ended is left as it is, and
 * nothing is done. Refuses while a worker has it and where a re-run could act twice. Every call is kept on record.
 */
export async function rerun(
  db: Db,
  intentId: string,
  who: string,
  why: string,
): Promise<{ done: boolean; judgement: Judgement }> {
  const result = await db.maybeOne(sql.type(resultRow)`
    select r.done, r.verdict, r.is_safe, r.was_sent, r.venue_says, r.would_do, r.reason
    from ops.rerun(${intentId}, ${who}, ${why}) r`);
  if (!result) throw new Refusal('INTENT_UNKNOWN');
  const { done, ...judgement } = result;
  if (!judgement.is_safe)
    throw new Refusal('V2_RERUN_REFUSED', {
      message: judgement.reason,
      reason: judgement.verdict,
      intent_id: intentId,
    });
  return { done, judgement };
}
