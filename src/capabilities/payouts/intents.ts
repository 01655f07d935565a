import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { type Accepted, intentFor, type NewIntent, type Submission } from '../../intents/accept.ts';
import { ApiError } from '../../kernel/errors.ts';
import { idSchema, newIntentId, type PayoutId, type UserId } from '../../kernel/ids.ts';
import { account, type NewAccount } from './account.ts';
import { obstacleError } from './commands.ts';
import { link } from './link.ts';
import { pay } from './pay.ts';
import { reverse } from './reverse.ts';
import { submit } from './submit.ts';

type RequestContext = Submission<NewIntent>;

/** The verbs whose writes can be found again at the processor. */
export const payoutWrites = [submit, pay, reverse];

/**
 * Accepts the creation of a user's account at the processor, beside none or in the place of the one that it `replaces`. Requests of one
 * user run one after another.
 */
export const openConnectAccount = (context: RequestContext, wanted: NewAccount): Promise<Accepted> =>
  context.accept({ ...intentFor(context, account, wanted), lane: `connect:${wanted.user_id}` });

/** Accepts the creation of an onboarding link. Each request creates a new link, because a link works once. */
export const requestLink = ({ accept, context, deadlineMs }: RequestContext, accountId: string): Promise<Accepted> =>
  accept(intentFor({ context, deadlineMs }, link, { processor_account_id: accountId }));

/** The same for an account just opened: the key of the request belongs to its first intent, a repeat gets a new link. */
export const requestFirstLink = (request: RequestContext, accountId: string): Promise<Accepted> => {
  const { idempotency_key: _, ...context } = request.context;
  return requestLink({ ...request, context }, accountId);
};

const submission = z.object({ verdict: z.string(), intent_id: idSchema.intent.nullable() });

/**
 * Accepts the submission of a payout that is pending, or whose payout to the bank failed; a second call at the same time
 * returns the intent of the first. Throws V2_PAYOUT_UNKNOWN, or the code of an obstacle.
 */
export async function submitPayout(
  db: Db,
  context: Omit<RequestContext, 'accept'>,
  userId: UserId,
  payout: { id: PayoutId; earnedCents: number; holdH: number; sessionId: string },
): Promise<Accepted> {
  const item = { id: newIntentId(), deadline_s: context.deadlineMs / 1000, request_id: context.context.request_id };
  const { verdict, intent_id } = await db.one(sql.type(submission)`
    select s.verdict, s.intent_id
    from submit_payout(${payout.id}, ${context.context.owner}, ${userId}, ${JSON.stringify(item)}::jsonb, ${payout.earnedCents},
      ${payout.holdH}, ${payout.sessionId}) s`);
  if (verdict === 'unknown') throw new ApiError('V2_PAYOUT_UNKNOWN', { effect: 'none' });
  if (intent_id === null) throw obstacleError(verdict);
  return { id: intent_id, replayed: intent_id !== item.id };
}

/**
 * Accepts the reversal of a payout's transfer by an operator, who is recorded; a second call at the same time returns the
 * intent of the first. Throws V2_PAYOUT_UNKNOWN, or V2_PAYOUT_NOT_STRANDED if its money is not with the trader's
 * account, or is on its way from there.
 */
export async function reversePayout(
  context: { db: Db; operator: string; requestId: string; deadlineMs: number },
  payoutId: PayoutId,
  reason: string,
): Promise<Accepted> {
  const item = { id: newIntentId(), deadline_s: context.deadlineMs / 1000, request_id: context.requestId };
  const { verdict, intent_id } = await context.db.one(sql.type(submission)`
    select s.verdict, s.intent_id
    from reverse_payout(${payoutId}, ${context.operator}, ${reason}, ${JSON.stringify(item)}::jsonb) s`);
  if (intent_id === null)
    throw new ApiError(verdict === 'unknown' ? 'V2_PAYOUT_UNKNOWN' : 'V2_PAYOUT_NOT_STRANDED', { effect: 'none' });
  return { id: intent_id, replayed: intent_id !== item.id };
}
