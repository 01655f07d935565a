import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { propStatuses } from './rules.ts';

const accountRow = z.object({
  id: z.string(),
  owner: z.string(),
  user_id: z.string(),
  tier_id: z.string(),
  asset_class: z.string(),
  account_size: z.number(),
  status: z.enum(propStatuses),
  failure_reason: z.string().nullable(),
  intent_id: z.string().nullable(),
  subaccount_id: z.number().nullable(),
  subaccount_uuid: z.string().nullable(),
  synthetic_hotkey: z.string().nullable(),
  processor_payment_intent_id: z.string().nullable(),
  created_at: z.string(),
  age_ms: z.number(),
});

/** A prop account. Its subaccount's members are null until one is made for it, and where that one failed at the network. */
export type PropAccount = z.infer<typeof accountRow>;

const accounts = (condition: FragmentSqlToken) => sql.fragment`
  select a.id, a.owner, a.user_id, a.tier_id, a.asset_class, a.account_size::double precision, a.status, a.failure_reason, a.intent_id,
    s.subaccount_id, s.subaccount_uuid, s.synthetic_hotkey, p.processor_payment_intent_id, a.created_at,
    extract(epoch from now() - a.status_at)::double precision * 1000 as age_ms
  from prop_accounts a
  left join subaccounts s on s.synthetic_hotkey = a.synthetic_hotkey and a.status <> 'subaccount_failed'
  left join payments p on p.id = a.payment_id
  where ${condition}`;

/** From behind `cursor` on, at most so many; null for all. */
type Page = { cursor: string | null; limit: number | null };
const WHOLE: Page = { cursor: null, limit: null };

const pageOf = ({ cursor, limit }: Page) => sql.fragment`
    and (${cursor}::text is null or (a.created_at, a.id) < (
      select c.created_at, c.id
      from prop_accounts c
      where c.id = ${cursor}
    ))
    order by a.created_at desc, a.id desc
    limit ${limit}`;

/** A user's accounts, newest first. */
export const listPropAccounts = (
  db: Db,
  owner: string,
  userId: string,
  page: Page = WHOLE,
): Promise<readonly PropAccount[]> =>
  db.any(sql.prepared('list_prop_accounts', accountRow)`
    ${accounts(sql.fragment`a.owner = ${owner} and a.user_id = ${userId}`)}
    ${pageOf(page)}`);

/** One account of a user. */
export const findPropAccount = (db: Db, owner: string, userId: string, id: string): Promise<PropAccount | null> =>
  db.maybeOne(sql.prepared('find_prop_account', accountRow)`
    ${accounts(sql.fragment`a.id = ${id} and a.owner = ${owner} and a.user_id = ${userId}`)}`);

/** The account a creation was accepted for. For ids this process accepted itself. */
export const findAccountOfIntent = (db: Db, intentId: string): Promise<PropAccount | null> =>
  db.maybeOne(sql.prepared('account_of_intent', accountRow)`
    ${accounts(sql.fragment`a.intent_id = ${intentId}`)}`);

/** Accounts that failed and were not given up, of one app or of all, newest first: for operators. */
export const listFailedAccounts = (db: Db, owner: string | null, page: Page): Promise<readonly PropAccount[]> =>
  db.any(sql.prepared('list_failed_accounts', accountRow)`
    ${accounts(sql.fragment`
      a.status = 'subaccount_failed' and a.given_up_at is null and (${owner}::text is null or a.owner = ${owner})`)}
    ${pageOf(page)}`);

/** An account by its id alone: for tasks and operators, who act for every app. */
export const findAnyPropAccount = (db: Db, id: string): Promise<PropAccount | null> =>
  db.maybeOne(sql.prepared('account_to_sync', accountRow)`
    ${accounts(sql.fragment`a.id = ${id}`)}`);

const unservedRow = z.object({
  payment_id: z.string(),
  owner: z.string(),
  user_id: z.string(),
  amount_cents: z.number(),
  currency: z.string(),
  paid_at: z.string(),
  prop_account_id: z.string().nullable(),
  account_status: z.string().nullable(),
  failure_reason: z.string().nullable(),
  safe_action: z.string(),
});

/** Payments that came so many minutes ago and that nobody has anything for, with what is safe to do. */
export const listUnserved = (db: Db, minutes: number): Promise<readonly z.infer<typeof unservedRow>[]> =>
  db.any(sql.type(unservedRow)`
    select u.payment_id, u.owner, u.user_id, u.amount_cents, u.currency, u.paid_at, u.prop_account_id, u.account_status,
      u.failure_reason, u.safe_action
    from list_unserved_payments(${minutes}) u`);
