import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { Refusal } from '../../kernel/refusals.ts';

const refusedFor = { unknown: 'V2_WEBHOOK_DELIVERY_UNKNOWN', inactive: 'V2_WEBHOOK_INACTIVE' } as const;
const verdictRow = z.object({ verdict: z.enum(['queued', 'unknown', 'inactive']) });

/** Sends a delivery of any app once more, from the start of the plan. Refuses where its endpoint is inactive; kept on record either way. */
export async function retryAnyDelivery(db: Db, deliveryId: string, who: string, why: string): Promise<void> {
  const verdict = await db.oneFirst(
    sql.type(verdictRow)`select ops.retry_delivery(${deliveryId}, ${who}, ${why}) verdict`,
  );
  if (verdict !== 'queued') throw new Refusal(refusedFor[verdict], { effect: 'none' });
}
