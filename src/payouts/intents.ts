import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import type { Accept, Accepted, Offer } from '../intents/accept.ts';
import { newId, newIntentId } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusals.ts';

type Asking = { owner: string; digest: string; request_id: string; idempotency_key?: string };
type Who = { accept: Accept<Offer>; asking: Asking; deadlineMs: number };

/** Accepts the making of a user's account at the processor. Those of one user go one after another. */
export const openConnectAccount = (
  { accept, asking, deadlineMs }: Who,
  userId: string,
  country: string,
): Promise<Accepted> =>
  accept({
    ...asking,
    id: newIntentId(),
    kind: 'payouts/account',
    lane: `connect:${userId}`,
    asked: { user_id: userId, country },
    deadline_s: deadlineMs / 1000,
  });

/** Accepts the making of a link to where a user completes that account. Links are made anew each time: they are used up. */
export const askForLink = ({ accept, asking, deadlineMs }: Who, accountId: string): Promise<Accepted> => {
  const { idempotency_key: _, ...rest } = asking; // it belongs to the request's first intent
  return accept({
    ...rest,
    id: newIntentId(),
    kind: 'payouts/link',
    asked: { processor_account_id: accountId },
    deadline_s: deadlineMs / 1000,
  });
};

/** Writes down a payout of what an account has earned, and answers its id. Refuses more than that. */
export async function requestPayout(
  db: Db,
  wanted: { accountId: string; connectAccountId: string; amountCents: number; currency: string; earnedCents: number },
): Promise<string> {
  const id = newId('po');
  const ok = await db.oneFirst(sql.type(z.object({ ok: z.boolean() }))`
    select request_payout(${id}, ${wanted.accountId}, ${wanted.connectAccountId}, ${wanted.amountCents}, ${wanted.currency},
      ${wanted.earnedCents}) ok`);
  if (!ok) throw new Refusal('V2_PAYOUT_EXCEEDS_EARNINGS', { effect: 'none' });
  return id;
}

/** Accepts the submission of a pending payout; a second one stands for the first. Refuses an unknown payout. */
export async function submitPayout(
  db: Db,
  who: Omit<Who, 'accept'>,
  userId: string,
  payoutId: string,
): Promise<Accepted> {
  const { owner, digest, request_id } = who.asking;
  const id = newIntentId();
  const item = {
    n: 0,
    id,
    kind: 'payouts/submit',
    owner,
    digest,
    request_id,
    asked: { payout_id: payoutId },
    deadline_s: who.deadlineMs / 1000,
  };
  const intent = await db.oneFirst(sql.type(z.object({ id: z.string().nullable() }))`
    select submit_payout(${payoutId}, ${owner}, ${userId}, ${JSON.stringify(item)}::jsonb) id`);
  if (intent === null) throw new Refusal('V2_PAYOUT_UNKNOWN', { effect: 'none' });
  return { id: intent, replayed: intent !== id };
}
