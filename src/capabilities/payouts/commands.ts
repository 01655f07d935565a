import { sql } from 'slonik';
import { z } from 'zod';
import type { MovementSeen } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import { isErrorCode } from '../../kernel/error-codes.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newId, newIntentId, type PayoutId, type PropAccountId } from '../../kernel/ids.ts';

/**
 * Records a payout request and returns its id. Throws an `ApiError` if there is an obstacle: the code that
 * `payout_obstacle` gives.
 */
export async function requestPayout(
  db: Db,
  wanted: {
    accountId: PropAccountId;
    connectAccountId: string;
    amountCents: number;
    currency: string;
    earnedCents: number;
  },
): Promise<string> {
  const id = newId('po');
  const obstacle = await db.oneFirst(sql.type(z.object({ obstacle: z.string().nullable() }))`
    select request_payout(${id}, ${wanted.accountId}, ${wanted.connectAccountId}, ${wanted.amountCents}, ${wanted.currency},
      ${wanted.earnedCents}) obstacle`);
  if (obstacle !== null) throw obstacleError(obstacle);
  return id;
}

/**
 * Records what was found at the processor of a payout step of unknown effect, and the operator who had it looked up.
 * `found` null: the processor provably has nothing of it. Throws V2_PAYOUT_NOT_UNKNOWN if it was resolved meanwhile.
 */
export async function resolvePayout(
  db: Db,
  step: { payoutId: PayoutId; key: string },
  found: MovementSeen | null,
  by: { operator: string; reason: string; deadlineMs: number },
): Promise<void> {
  const item = JSON.stringify({ id: newIntentId(), deadline_s: by.deadlineMs / 1000 });
  const verdict = await db.oneFirst(sql.type(z.object({ verdict: z.string() }))`
    select resolve_payout(${step.payoutId}, ${by.operator}, ${by.reason}, ${found?.id ?? null}, ${found?.arrivalId ?? null},
      ${item}::jsonb, ${step.key}) verdict`);
  if (verdict !== 'done') throw new ApiError('V2_PAYOUT_NOT_UNKNOWN', { effect: 'none' });
}

/** The error of an obstacle: its code. Throws a plain error for a code that is not of the catalogue. */
export function obstacleError(code: string): ApiError {
  if (!isErrorCode(code)) throw new Error(`Unknown obstacle ${code}`);
  return new ApiError(code, { effect: 'none' });
}
