import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { ApiError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';

/**
 * Records a payout request and returns its id. Throws V2_PAYOUT_EXCEEDS_EARNINGS if it exceeds what the account has
 * earned and not yet requested.
 */
export async function requestPayout(
  db: Db,
  wanted: { accountId: string; connectAccountId: string; amountCents: number; currency: string; earnedCents: number },
): Promise<string> {
  const id = newId('po');
  const ok = await db.oneFirst(sql.type(z.object({ ok: z.boolean() }))`
    select request_payout(${id}, ${wanted.accountId}, ${wanted.connectAccountId}, ${wanted.amountCents}, ${wanted.currency},
      ${wanted.earnedCents}) ok`);
  if (!ok) throw new ApiError('V2_PAYOUT_EXCEEDS_EARNINGS', { effect: 'none' });
  return id;
}
