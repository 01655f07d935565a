import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import type { UserId, WithIds } from '../../../kernel/ids.ts';

const MOST = 50; // of each kind: a page for people

const userRow = z.custom<WithIds<components['schemas']['UserRecord']>>();

/** A user in the form shown to operators. It contains no secret. */
export type UserRecord = z.infer<typeof userRow>;

/** A column of a nested row as a time of the contract. */
const time = (table: string, column: string) =>
  sql.fragment`to_char(${sql.identifier([table, column])} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A nested row. */
const object = (columns: FragmentSqlToken) => sql.fragment`(select to_jsonb(r) from (select ${columns}) r)`;

/** The nested rows `r` of a statement, newest first, at most 50. */
const newest = (rows: FragmentSqlToken, at: string) => sql.fragment`
  (
    select coalesce(jsonb_agg(to_jsonb(r) order by r.${sql.identifier([at])} desc), '[]')
    from (${rows} limit ${MOST}) r
  )`;

const verification = object(sql.fragment`
  k.session_id, k.provider, k.status, k.failure_reason, ${time('k', 'verified_at')} as verified_at`);

const payoutAccount = object(sql.fragment`
  c.processor_account_id, c.country, c.details_submitted, payout_account_state(c) = 'active' as payouts_enabled,
  ${time('c', 'created_at')} as created_at`);

const propAccounts = sql.fragment`
  select a.id, a.tier_id, a.status, a.failure_reason, a.asset_class, a.account_size::double precision as account_size, a.payment_id,
    a.synthetic_hotkey, ${time('a', 'created_at')} as created_at
  from prop_accounts a
  where a.user_id = u.id
  order by a.created_at desc`;

const payments = sql.fragment`
  select p.id as payment_id, p.tier_id, payment_state(p.status, m.refunded_cents, m.disputed_cents) as status,
    p.amount_cents, p.currency, m.held_cents,
    coalesce(p.received_currency, p.currency) as held_currency, p.failure_code, ${time('p', 'paid_at')} as paid_at,
    ${time('p', 'created_at')} as created_at
  from payments p
  cross join lateral payment_money(p) m
  where p.user_id = u.id
  order by p.created_at desc`;

const payouts = sql.fragment`
  select o.id as payout_id, o.prop_account_id, payout_state(o) as status, o.amount_cents, o.currency, o.failure_reason,
    ${time('o', 'requested_at')} as requested_at
  from payouts o
  where o.user_id = u.id
  order by o.requested_at desc`;

const sessions = sql.fragment`
  select s.id as session_id, s.address, ${time('s', 'created_at')} as created_at, ${time('s', 'seen_at')} as last_seen_at,
    ${time('s', 'expires_at')} as expires_at
  from user_sessions s
  where s.user_id = u.id
    and is_live_session(s)
  order by s.created_at desc`;

/** A user with the newest 50 accounts, payments, payouts and open sessions, in one statement; null for an unknown id. */
export const findUserRecord = (db: Db, userId: UserId): Promise<UserRecord | null> =>
  db.maybeOne(sql.type(userRow)`
    select u.id as user_id, u.app_id, a.name as app_name, u.email, u.verified_at is not null as email_verified,
      u.password_hash is not null as has_password, u.totp_enabled_at as authenticator_enabled_at, u.created_at,
      case when k.user_id is not null then ${verification} end as identity_verification,
      case when c.user_id is not null then ${payoutAccount} end as payout_account,
      ${newest(propAccounts, 'created_at')} as prop_accounts,
      ${newest(payments, 'created_at')} as payments,
      ${newest(payouts, 'requested_at')} as payouts,
      ${newest(sessions, 'created_at')} as sessions
    from users u
    join apps a on a.id = u.app_id
    left join kyc_cases k on k.user_id = u.id
    left join connect_accounts c on c.user_id = u.id and c.detached_at is null
    where u.id = ${userId}`);
