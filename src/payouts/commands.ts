import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { ApiError, isErrorCode } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';

/**
 * Records a payout request and returns its id. Throws an `ApiError` if there is an obstacle: the code that
 * `payout_obstacle` gives.
 */
export async function requestPayout(
  db: Db,
  wanted: { accountId: string; connectAccountId: string; amountCents: number; currency: string; earnedCents: number },
): Promise<string> {
  const id = newId('po');
  const obstacle = await db.oneFirst(sql.type(z.object({ obstacle: z.string().nullable() }))`
    select request_payout(${id}, ${wanted.accountId}, ${wanted.connectAccountId}, ${wanted.amountCents}, ${wanted.currency},
      ${wanted.earnedCents}) obstacle`);
  if (obstacle !== null) throw obstacleError(obstacle);
  return id;
}

/** The error of an obstacle: its code. Throws a plain error for a code that is not of the catalogue. */
export function obstacleError(code: string): ApiError {
  if (!isErrorCode(code)) throw new Error(`Unknown obstacle ${code}`);
  return new ApiError(code, { effect: 'none' });
}
