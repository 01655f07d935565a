import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { type Accepted, intentFor, type NewIntent, type Submission } from '../intents/accept.ts';
import { ApiError } from '../kernel/errors.ts';
import type { UserId } from '../kernel/ids.ts';

type RequestContext = Submission<NewIntent>;

/** Accepts the creation of a user's account at the processor. Requests of one user run one after another. */
export const openConnectAccount = (context: RequestContext, userId: UserId, country: string): Promise<Accepted> =>
  context.accept({
    ...intentFor(context, 'payouts/account', { user_id: userId, country }),
    lane: `connect:${userId}`,
  });

/** Accepts the creation of an onboarding link. Each request creates a new link, because a link works once. */
export const requestLink = ({ accept, context, deadlineMs }: RequestContext, accountId: string): Promise<Accepted> => {
  const { idempotency_key: _, ...rest } = context; // it belongs to the request's first intent
  return accept(intentFor({ context: rest, deadlineMs }, 'payouts/link', { processor_account_id: accountId }));
};

/**
 * Accepts the submission of a pending payout; a second call returns the intent of the first. Throws V2_PAYOUT_UNKNOWN.
 */
export async function submitPayout(
  db: Db,
  context: Omit<RequestContext, 'accept'>,
  userId: UserId,
  payoutId: string,
): Promise<Accepted> {
  const { idempotency_key: _, ...requester } = context.context; // a payout is submitted once, by whichever request
  const { deadlineMs } = context;
  const item = { n: 0, ...intentFor({ context: requester, deadlineMs }, 'payouts/submit', { payout_id: payoutId }) };
  const intent = await db.oneFirst(sql.type(z.object({ id: z.string().nullable() }))`
    select submit_payout(${payoutId}, ${item.owner}, ${userId}, ${JSON.stringify(item)}::jsonb) id`);
  if (intent === null) throw new ApiError('V2_PAYOUT_UNKNOWN', { effect: 'none' });
  return { id: intent, replayed: intent !== item.id };
}
