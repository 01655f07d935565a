import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import { keysetPage } from '../../../db/keyset.ts';
import type { Db } from '../../../db/pool.ts';
import {
  type AppId,
  type IntentId,
  type OrderUuid,
  type OwnerId,
  orderIdsOf,
  type PropAccountId,
  type UserId,
  type WithIds,
} from '../../../kernel/ids.ts';

const accountRow = z.custom<
  WithIds<components['schemas']['PropAccount']> & {
    id: PropAccountId;
    owner: AppId;
    user_id: UserId;
    intent_id: IntentId | null;
    age_ms: number;
  }
>();

/**
 * A prop account. The subaccount members are null until its subaccount exists, and if the subaccount failed at the
 * network.
 */
export type PropAccount = z.infer<typeof accountRow>;

const accounts = (condition: FragmentSqlToken) => sql.fragment`
  select a.id, a.owner, a.user_id, a.tier_id, a.asset_class, a.account_size::double precision, a.status, a.failure_reason, a.intent_id,
    s.subaccount_id, s.subaccount_uuid, s.synthetic_hotkey, p.processor_payment_intent_id, a.created_at,
    extract(epoch from now() - a.status_at)::double precision * 1000 as age_ms
  from prop_accounts a
  left join subaccounts s on s.synthetic_hotkey = a.synthetic_hotkey and a.status <> 'subaccount_failed'
  left join payments p on p.id = a.payment_id
  where ${condition}`;

/** A page of accounts after `cursor`, at most `limit`. Null: from the newest, and all. */
type Page = { cursor: string | null; limit: number | null };
const WHOLE: Page = { cursor: null, limit: null };

const pageOf = (page: Page) =>
  sql.fragment`and ${keysetPage({ table: 'prop_accounts', alias: 'a', order: 'newest first' }, page)}`;

/** A user's accounts, newest first. Without `page` all of them. */
export const listPropAccounts = (
  db: Db,
  owner: OwnerId,
  userId: UserId,
  page: Page = WHOLE,
): Promise<readonly PropAccount[]> =>
  db.any(sql.prepared('list_prop_accounts', accountRow)`
    ${accounts(sql.fragment`a.owner = ${owner} and a.user_id = ${userId}`)}
    ${pageOf(page)}`);

/** The account of a user who names none: the newest that may trade, else the newest. Null without an account. */
export const findDefaultAccount = (db: Db, owner: OwnerId, userId: UserId): Promise<PropAccount | null> =>
  db.maybeOne(sql.prepared('find_default_account', accountRow)`
    ${accounts(sql.fragment`a.owner = ${owner} and a.user_id = ${userId}`)}
    order by a.status in ('evaluation', 'funded') desc, a.created_at desc, a.id desc
    limit 1`);

/** The account of a user that an order or another intent is for, by a name or id of it; null if it is none of this user's. */
export const findAccountOfOrder = (
  db: Db,
  owner: OwnerId,
  userId: UserId,
  order: OrderUuid,
): Promise<PropAccount | null> =>
  db.maybeOne(sql.prepared('find_account_of_order', accountRow)`
    ${accounts(sql.fragment`a.owner = ${owner} and a.user_id = ${userId}`)}
      and a.id in (
        select i.request ->> 'prop_account_id'
        from intents i
        where i.id in (${sql.join(orderIdsOf(owner, order), sql.fragment`, `)}) and i.owner = ${owner}
      )
    limit 1`);

/** One account of a user, or null. */
export const findPropAccount = (
  db: Db,
  owner: OwnerId,
  userId: UserId,
  id: PropAccountId,
): Promise<PropAccount | null> =>
  db.maybeOne(sql.prepared('find_prop_account', accountRow)`
    ${accounts(sql.fragment`a.id = ${id} and a.owner = ${owner} and a.user_id = ${userId}`)}`);

/**
 * The account that a creation intent was accepted for. It checks no owner: pass only intent ids from this process or
 * its tasks.
 */
export const findAccountOfIntent = (db: Db, intentId: IntentId): Promise<PropAccount | null> =>
  db.maybeOne(sql.prepared('account_of_intent', accountRow)`
    ${accounts(sql.fragment`a.intent_id = ${intentId}`)}`);

/** Whether a request opens a new free account: it matches the tier, and the user has no account of that tier. */
export const opensFreeAccount = (
  db: Db,
  userId: UserId,
  wanted: components['schemas']['FreeAccountRequest'],
): Promise<boolean> =>
  db.oneFirst(sql.prepared('opens_free_account', z.object({ is_new: z.boolean() }))`
    select tier_verdict(${JSON.stringify(wanted)}::jsonb, true) is null and not exists (
      select
      from prop_accounts a
      where a.user_id = ${userId} and a.tier_id = ${wanted.tier_id} and a.payment_id is null
    ) as is_new`);

/** Failed accounts that are not abandoned, of one app or (null) of all, newest first. */
export const listFailedAccounts = (db: Db, owner: OwnerId | null, page: Page): Promise<readonly PropAccount[]> =>
  db.any(sql.prepared('list_failed_accounts', accountRow)`
    ${accounts(sql.fragment`
      a.status = 'subaccount_failed' and a.abandoned_at is null and (${owner}::text is null or a.owner = ${owner})`)}
    ${pageOf(page)}`);

/** An account by id, whatever its owner: for tasks and operators. */
export const findAnyPropAccount = (db: Db, id: PropAccountId): Promise<PropAccount | null> =>
  db.maybeOne(sql.prepared('account_to_sync', accountRow)`
    ${accounts(sql.fragment`a.id = ${id}`)}`);

const unfulfilledRow = z.custom<WithIds<components['schemas']['UnfulfilledPayment']>>();

/** Payments received at least `minutes` ago without a tradeable account or a refund, each with the safe action. */
export const listUnfulfilled = (db: Db, minutes: number): Promise<readonly z.infer<typeof unfulfilledRow>[]> =>
  db.any(sql.type(unfulfilledRow)`
    select u.payment_id, u.app_id as owner, u.user_id, u.amount_cents, u.currency, u.paid_at, u.prop_account_id, u.account_status,
      u.failure_reason, u.held_cents, u.held_currency, u.safe_action
    from ops.list_paid_without_account(${minutes}) u
    order by u.paid_at, u.payment_id`);

/** A prop account as its user and operators see it. */
export const shownAccount = (account: PropAccount): components['schemas']['PropAccount'] => {
  const { owner: _, user_id: __, intent_id: ___, age_ms: ____, ...members } = account;
  return members;
};

/** Whether a prop account may trade: it is in evaluation or funded. */
export const isTradeable = (db: Db, propAccountId: PropAccountId): Promise<boolean> =>
  db.exists(sql.prepared('is_tradeable', z.object({}))`
    select
    from prop_accounts a
    where a.id = ${propAccountId} and a.status in ('evaluation', 'funded')`);
