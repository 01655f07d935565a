import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';

const rejectedFor = { unknown: 'V2_WEBHOOK_DELIVERY_UNKNOWN', inactive: 'V2_WEBHOOK_INACTIVE' } as const;
const verdictRow = z.object({ verdict: z.enum(['queued', 'unknown', 'inactive']) });

/**
 * Queues a delivery of any app again, from the start of its retry schedule, and records the action. Throws
 * V2_WEBHOOK_DELIVERY_UNKNOWN, or V2_WEBHOOK_INACTIVE if its endpoint is inactive.
 */
export async function retryAnyDelivery(db: Db, deliveryId: string, actor: string, why: string): Promise<void> {
  const verdict = await db.oneFirst(
    sql.type(verdictRow)`select retry_delivery(${deliveryId}, ${actor}, ${why}) verdict`,
  );
  if (verdict !== 'queued') throw new ApiError(rejectedFor[verdict], { effect: 'none' });
}
