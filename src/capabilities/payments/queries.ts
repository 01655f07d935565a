import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { NewPayment } from '../../adapters/processor/types.ts';
import type { components } from '../../contract/types.ts';
import { keysetPage } from '../../db/keyset.ts';
import type { Db } from '../../db/pool.ts';
import { type IntentId, idSchema, type OwnerId, type PaymentId, type UserId } from '../../kernel/ids.ts';
import type { PageRequest } from '../../kernel/pages.ts';
import { payoutColumns, payoutRows } from '../payouts/queries.ts';

const tierRow = z.custom<components['schemas']['Tier']>();

/** A tier that can be bought or, with amount 0, opened for free. */
export type Tier = z.infer<typeof tierRow>;

/** The active tiers, or all of them; `tierPages` puts them in order. */
export const listTiers = (db: Db, which: 'on_sale' | 'all' = 'on_sale'): Promise<readonly Tier[]> =>
  db.any(sql.prepared('list_tiers', tierRow)`
    select t.id as tier_id, t.market, t.asset_class, t.account_size::double precision, t.amount_cents, t.currency, t.active
    from tiers t
    where t.active or ${which === 'all'}`);

const TIER_PLACE = /^\d{8} \d{6}\.\d\d tier_[a-z0-9_]{1,60}$/;

/** A list of tiers, cheapest first. A cursor is a price, so that it outlives its tier's. */
export const tierPages = (path: string) => ({
  path,
  cursorOf: ({ amount_cents, account_size, tier_id }: Tier) =>
    `${String(amount_cents).padStart(8, '0')} ${account_size.toFixed(2).padStart(9, '0')} ${tier_id}`,
  isKnown: async (cursor: string) => TIER_PLACE.test(cursor),
});

/** Whether any tier exists, active or not. */
export const hasTiers = (db: Db): Promise<boolean> => db.exists(sql.unsafe`select from tiers`);

/** What a refund of a payment moves at most, in cents: its price, or what is left of a larger amount that came; null if it is unknown. */
export const findRefundCents = (db: Pick<Db, 'maybeOneFirst'>, paymentId: PaymentId): Promise<number | null> =>
  db.maybeOneFirst(sql.prepared('refund_cents', z.object({ cents: z.number() }))`
    select greatest(p.amount_cents, m.received_cents - m.refunded_cents) as cents
    from payments p
    cross join lateral payment_money(p) m
    where p.id = ${paymentId}`);

/** The row of a payment. */
export const paymentRow = z.object({
  id: idSchema.payment,
  tier_id: z.string(),
  market: z.string(),
  amount_cents: z.number(),
  currency: z.string(),
  processor_payment_intent_id: z.string().nullable(),
  sealed_client_secret: z.instanceof(Buffer).nullable(),
  status: z.string(),
  state: z.custom<components['schemas']['PaymentStatus']>(),
  status_at_ms: z.number(),
  received_cents: z.number(),
  received_currency: z.string().nullable(),
  refunded_cents: z.number(),
  disputed_cents: z.number(),
});

/**
 * A payment. `status` is the processor's latest status, `state` the one to show; `disputed_cents` is the amount that is in dispute or was lost
 * by one, without what was won back.
 */
export type Payment = z.infer<typeof paymentRow>;

/** The columns of a payment; the row has the alias `p`, and what the ledger holds of it the alias `m`. */
export const paymentColumns = sql.fragment`
  p.id, p.tier_id, p.market, p.amount_cents, p.currency, p.processor_payment_intent_id, p.sealed_client_secret, p.status,
  payment_state(p.status, m.refunded_cents, m.disputed_cents) as state,
  coalesce(extract(epoch from p.status_at), 0)::double precision * 1000 as status_at_ms,
  m.received_cents, p.received_currency, m.refunded_cents, m.disputed_cents`;

const payments = (condition: FragmentSqlToken) => sql.fragment`
  select ${paymentColumns}
  from payments p
  cross join lateral payment_money(p) m
  where ${condition}`;

/** The payment of an intent, if it belongs to this user; else null. */
export const findPaymentOfIntent = (db: Db, owner: OwnerId, userId: UserId, intentId: IntentId) =>
  db.maybeOne(sql.prepared('payment_of_intent', paymentRow)`
    ${payments(sql.fragment`p.intent_id = ${intentId} and p.owner = ${owner} and p.user_id = ${userId}`)}`);

/** What the processor needs to create a payment intent. */
export const newPayment = z.object({
  paymentId: idSchema.payment,
  userId: idSchema.user,
  appId: idSchema.app,
  amountCents: z.number(),
  currency: z.string(),
});

const entryRow = z.object({ at: z.string(), event: z.string(), detail: z.string().nullable() });
const shownRow = paymentRow.extend({ prop_account_id: idSchema.propAccount.nullable(), timeline: z.array(entryRow) });

/** A payment with its account and its timeline, oldest entry first; null for another user's payment. */
export const findPaymentShown = (db: Db, owner: OwnerId, userId: UserId, paymentId: PaymentId) =>
  db.maybeOne(sql.prepared('payment_shown', shownRow)`
    select ${paymentColumns}, a.id as prop_account_id, (
      select jsonb_agg(jsonb_build_object(
        'at', to_char(t.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'event', t.event, 'detail', t.detail
      ) order by t.at, t.step)
      from (
        values (p.created_at, 0, 'created', null),
          (p.paid_at, 3, case when p.amount_differs then 'mismatched' else 'succeeded' end, null),
          (p.refunded_at, 7, 'refunded', null),
          (p.disputed_at, 8, 'disputed', null),
          (a.created_at, 4, 'account_opened', a.id),
          (case when a.status_at > a.created_at then a.status_at end, 6, 'account_' || a.status, a.failure_reason)
        union all
        select greatest(e.said_at, p.created_at), 2, 'try_failed', e.fact ->> 'failure'
        from processor_events e
        where e.payment_id = p.id and e.type = 'payment_intent.payment_failed'
      ) as t (at, step, event, detail)
      where t.at is not null
    ) as timeline
    from payments p
    cross join lateral payment_money(p) m
    left join prop_accounts a on a.payment_id = p.id
    where p.id = ${paymentId} and p.owner = ${owner} and p.user_id = ${userId}`);

/** A payment by id, whatever its owner: for tasks. */
export const findPayment = (db: Pick<Db, 'maybeOne'>, paymentId: PaymentId): Promise<Payment | null> =>
  db.maybeOne(sql.prepared('find_payment', paymentRow)`${payments(sql.fragment`p.id = ${paymentId}`)}`);

/** The request for a payment intent. Throws if there is no such payment. */
export const getNewPayment = (db: Db, paymentId: PaymentId): Promise<NewPayment> =>
  db.one(sql.prepared('new_payment', newPayment)`
    select p.id as "paymentId", p.user_id as "userId", p.owner as "appId", p.amount_cents as "amountCents", p.currency
    from payments p
    where p.id = ${paymentId}`);

const paymentRecord = z.custom<components['schemas']['PaymentRecord']>();

/** The payments of an app, or of every app, newest first, after `cursor`. */
export const listPaymentRecords = (db: Db, owner: OwnerId | null, page: PageRequest) =>
  db.any(sql.type(paymentRecord)`
    select p.id, p.owner as app_id, p.user_id, p.tier_id, a.id as prop_account_id, p.processor_payment_intent_id, p.status, p.amount_cents,
      p.currency, m.received_cents, p.received_currency, m.refunded_cents, m.disputed_cents, p.created_at,
      p.paid_at
    from payments p
    cross join lateral payment_money(p) m
    left join prop_accounts a on a.payment_id = p.id
    where ${ofOwner(owner)} and ${keysetPage({ table: 'payments', alias: 'p', order: 'newest first' }, page)}`);

const ofOwner = (owner: OwnerId | null) => (owner === null ? sql.fragment`true` : sql.fragment`p.owner = ${owner}`);

const payoutRecord = z.custom<components['schemas']['PayoutRecord']>();

/** The payouts of an app, or of every app, newest first, after `cursor`. */
export const listPayoutRecords = (db: Db, owner: OwnerId | null, page: PageRequest) =>
  db.any(sql.type(payoutRecord)`
    select ${payoutColumns}, p.owner as app_id, p.user_id, p.prop_account_id, c.processor_account_id
    from ${payoutRows}
    join connect_accounts c on c.id = p.connect_account_id
    where ${ofOwner(owner)}
      and ${keysetPage({ table: 'payouts', alias: 'p', time: 'requested_at', order: 'newest first' }, page)}`);

const isOwn = (table: 'payments' | 'payouts') => (db: Db, owner: OwnerId | null, id: string) =>
  db.exists(sql.type(z.object({}))`
    select
    from ${sql.identifier([table])} p
    where p.id = ${id} and ${ofOwner(owner)}`);

/** Whether there is such a payment, of an app or at all. */
export const hasPayment = isOwn('payments');
/** Whether there is such a payout, of an app or at all. */
export const hasPayout = isOwn('payouts');
