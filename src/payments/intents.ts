import { sql } from 'slonik';
import { z } from 'zod';
import type { ProcessorEvent } from '../adapters/processor/types.ts';
import type { Db } from '../db/pool.ts';
import type { Accept, Accepted, Offer } from '../intents/accept.ts';
import { newId, newIntentId } from '../kernel/ids.ts';
import { Refusal, type RefusalCode } from '../kernel/refusals.ts';

/** A checkout to be accepted: its intent and the payment beside it. */
export type CheckoutOffer = Offer & {
  payment_id: string;
  user_id: string;
  tier_id: string;
  market: string;
  asset_class: string;
  account_size: number;
  amount_cents: number;
  currency: string;
};

type Wanted = Pick<CheckoutOffer, 'tier_id' | 'market' | 'asset_class' | 'account_size' | 'amount_cents' | 'currency'>;

const refusedFor: Record<string, RefusalCode> = {
  tier_unknown: 'V2_TIER_UNKNOWN',
  tier_free: 'V2_TIER_FREE',
  tier_mismatch: 'V2_TIER_MISMATCH',
  amount_mismatch: 'V2_AMOUNT_MISMATCH',
};

/** Accepts a checkout of a tier as it is. Refuses what disagrees with the tier; nothing is written then. */
export const checkOut = (
  who: {
    accept: Accept<CheckoutOffer>;
    asking: { owner: string; digest: string; request_id: string };
    deadlineMs: number;
  },
  userId: string,
  wanted: Wanted,
): Promise<Accepted> => {
  const paymentId = newId('pay');
  const offer = {
    ...who.asking,
    ...wanted,
    id: newIntentId(),
    kind: 'payments/checkout',
    asked: { payment_id: paymentId },
    deadline_s: who.deadlineMs / 1000,
    payment_id: paymentId,
    user_id: userId,
  };
  return who.accept(offer, (verdict) => refusalFor(verdict));
};

const refusalFor = (verdict: string) => {
  const code = refusedFor[verdict];
  return code && new Refusal(code, { effect: 'none' });
};

/** Which task acts on a fact; null for what is nothing of ours. */
const tasks: Record<ProcessorEvent['fact']['about'], string | null> = {
  payment: 'payments/notified',
  charge: 'payments/notified',
  verification: 'kyc/notified',
  account: 'payouts/notified',
  payout: 'payouts/notified',
  nothing: null,
};

/** Stores events that are new and queues what acts on them, in one commit. Answers how many were new. */
export const takeEvents = (
  db: Db,
  events: readonly ProcessorEvent[],
  cameBy: 'notified' | 'listed',
): Promise<number> => {
  const batch = events.map(({ id, type, atMs, fact }) => ({
    id,
    type,
    said_at_ms: atMs,
    fact,
    task: tasks[fact.about],
  }));
  return db.oneFirst(sql.prepared('take_processor_events', z.object({ count: z.number() }))`
    select take_processor_events(${JSON.stringify(batch)}::jsonb, ${cameBy}) count`);
};

/** Makes or changes a tier. Payments and accounts made before keep what they were sold as. */
export async function saveTier(db: Pick<Db, 'query'>, tier: Wanted & { active?: boolean }): Promise<void> {
  await db.query(sql.type(z.object({}))`
    insert into tiers (id, market, asset_class, account_size, amount_cents, currency, active)
    values (${tier.tier_id}, ${tier.market}, ${tier.asset_class}, ${tier.account_size}, ${tier.amount_cents}, ${tier.currency},
      ${tier.active ?? true})
    on conflict (id) do update
    set market = excluded.market, asset_class = excluded.asset_class, account_size = excluded.account_size,
      amount_cents = excluded.amount_cents, currency = excluded.currency, active = excluded.active, updated_at = now()`);
}

/** Asks for a payment's money to be given back, by the name of an operator. Refuses where there is none of it. */
export async function refundPayment(
  who: { db: Db; accept: Accept<Offer>; operator: string; requestId?: string; deadlineMs: number },
  paymentId: string,
): Promise<Accepted> {
  const owner = await who.db.maybeOneFirst(sql.type(z.object({ owner: z.string() }))`
    select p.owner
    from payments p
    where p.id = ${paymentId} and p.paid_at is not null and p.refunded_cents < p.received_cents`);
  if (owner === null) throw new Refusal('V2_PAYMENT_NOT_REFUNDABLE', { effect: 'none' });
  const intent = await who.accept({
    id: newIntentId(),
    kind: 'payments/refund',
    owner,
    lane: `refund:${paymentId}`,
    asked: { payment_id: paymentId, operator: who.operator },
    digest: Buffer.from(paymentId).toString('hex'),
    deadline_s: who.deadlineMs / 1000,
    ...(who.requestId && { request_id: who.requestId }),
  });
  await who.db.query(sql.type(z.object({}))`
    insert into operator_actions (operator, action, payment_id, detail)
    values (${who.operator}, 'refund', ${paymentId}, ${sql.jsonb({ intent_id: intent.id })})`);
  return intent;
}
