import { sql } from 'slonik';
import { z } from 'zod';
import type { MovementSeen } from '../../adapters/processor/types.ts';
import type { Db } from '../../db/pool.ts';
import { isErrorCode } from '../../kernel/error-codes.ts';
import { ApiError } from '../../kernel/errors.ts';
import {
  idSchema,
  newId,
  newIntentId,
  type OwnerId,
  type PayoutId,
  type PropAccountId,
  type UserId,
} from '../../kernel/ids.ts';

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
    sessionId: string;
  },
): Promise<string> {
  const id = newId('po');
  const obstacle = await db.oneFirst(sql.type(z.object({ obstacle: z.string().nullable() }))`
    select request_payout(${id}, ${wanted.accountId}, ${wanted.connectAccountId}, ${wanted.amountCents}, ${wanted.currency},
      ${wanted.earnedCents}, ${wanted.sessionId}) obstacle`);
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
      ${item}::jsonb, ${step.key}, made_at := to_timestamp(${found?.madeAtMs ?? null}::double precision / 1000)) verdict`);
  if (verdict !== 'done') throw new ApiError('V2_PAYOUT_NOT_UNKNOWN', { effect: 'none' });
}

/** Has the transfers looked for that the processor has of payouts that are open here, see `submit_lost_transfers`. Returns the payouts. */
export const submitLostTransfers = (db: Db): Promise<readonly PayoutId[]> =>
  db.anyFirst(sql.type(z.object({ id: idSchema.payout }))`select id from submit_lost_transfers() as s (id)`);

/**
 * Notes that a session is given a link to the pages of a payout account, where its bank account can be changed. Throws
 * V2_SESSION_INVALID if the session has ended meanwhile.
 */
export async function noteLink(db: Db, account: string, sessionId: string): Promise<void> {
  const isNoted = await db.oneFirst(sql.prepared('note_payout_link', z.object({ is_noted: z.boolean() }))`
    select note_payout_link(${account}, ${sessionId}) is_noted`);
  if (!isNoted) throw new ApiError('V2_SESSION_INVALID', { effect: 'none' });
}

/** Detaches a user's payout account, see `detach_payout_account`. Throws V2_CONNECT_ACCOUNT_UNKNOWN. */
export async function detachAccount(db: Db, owner: OwnerId, userId: UserId, account: string): Promise<void> {
  const { rowCount } = await db.query(sql.prepared('detach_payout_account', z.object({}))`
    select detach_payout_account(c.processor_account_id, 'user')
    from connect_accounts c
    where c.processor_account_id = ${account} and c.owner = ${owner} and c.user_id = ${userId}`);
  if (rowCount === 0) throw new ApiError('V2_CONNECT_ACCOUNT_UNKNOWN', { effect: 'none' });
}

/** The same by an operator, who is recorded. Throws V2_CONNECT_ACCOUNT_UNKNOWN, also for one that is detached. */
export async function detachAccountFor(
  db: Db,
  account: string,
  { operator, reason }: { operator: string; reason: string },
): Promise<void> {
  const verdict = await db.oneFirst(sql.type(z.object({ verdict: z.string() }))`
    select detach_payout_account_for(${account}, ${operator}, ${reason}) verdict`);
  if (verdict !== 'done') throw new ApiError('V2_CONNECT_ACCOUNT_UNKNOWN', { effect: 'none' });
}

/**
 * Cancels a user's payout of which no money has moved; one that is canceled stays so. Throws V2_PAYOUT_UNKNOWN or
 * V2_PAYOUT_NOT_PENDING.
 */
export async function cancelPayout(
  db: Db,
  { owner, userId }: { owner: OwnerId; userId: UserId },
  payoutId: PayoutId,
): Promise<void> {
  const obstacle = await db.oneFirst(sql.type(z.object({ obstacle: z.string().nullable() }))`
    select cancel_payout(${payoutId}, ${owner}, ${userId}) obstacle`);
  if (obstacle !== null) throw obstacleError(obstacle);
}

/** The error of an obstacle: its code. Throws a plain error for a code that is not of the catalogue. */
export function obstacleError(code: string): ApiError {
  if (!isErrorCode(code)) throw new Error(`Unknown obstacle ${code}`);
  return new ApiError(code, { effect: 'none' });
}
