import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import { keysetPage } from '../../../db/keyset.ts';
import type { Db } from '../../../db/pool.ts';
import type { OwnerId } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/pages.ts';
import { payoutColumns, payoutRows } from '../../payouts/queries.ts';

const paymentRow = z.custom<components['schemas']['PaymentRecord']>();

/** The payments of an app, or of every app, newest first, after `cursor`. */
export const listPayments = (db: Db, owner: OwnerId | null, page: PageRequest) =>
  db.any(sql.type(paymentRow)`
    select p.id, p.owner as app_id, p.user_id, p.tier_id, a.id as prop_account_id, p.processor_payment_intent_id, p.status, p.amount_cents,
      p.currency, m.received_cents, p.received_currency, m.refunded_cents, m.disputed_cents, p.created_at,
      p.paid_at
    from payments p
    cross join lateral payment_money(p) m
    left join prop_accounts a on a.payment_id = p.id
    where ${ofOwner(owner)} and ${keysetPage({ table: 'payments', alias: 'p', order: 'newest first' }, page)}`);

const ofOwner = (owner: OwnerId | null) => (owner === null ? sql.fragment`true` : sql.fragment`p.owner = ${owner}`);

const payoutRow = z.custom<components['schemas']['PayoutRecord']>();

/** The payouts of an app, or of every app, newest first, after `cursor`. */
export const listPayouts = (db: Db, owner: OwnerId | null, page: PageRequest) =>
  db.any(sql.type(payoutRow)`
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
