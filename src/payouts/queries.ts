import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { dueForLook } from '../db/looks.ts';
import type { Db } from '../db/pool.ts';

const accountRow = z.object({
  id: z.string(),
  processor_account_id: z.string(),
  country: z.string().nullable(),
  payouts_enabled: z.boolean(),
  charges_enabled: z.boolean(),
  details_submitted: z.boolean(),
  bank_name: z.string().nullable(),
  last4: z.string().nullable(),
});

/** An account at the processor that a user is paid out to. */
export type ConnectAccount = z.infer<typeof accountRow>;

/** The accounts a user is paid out to: one at most. */
export const listConnectAccounts = (db: Db, owner: string, userId: string): Promise<readonly ConnectAccount[]> =>
  db.any(sql.prepared('list_connect_accounts', accountRow)`
    select c.id, c.processor_account_id, c.country, c.payouts_enabled, c.charges_enabled, c.details_submitted, c.bank_name, c.last4
    from connect_accounts c
    where c.owner = ${owner} and c.user_id = ${userId}
    order by c.created_at`);

const urlsRow = z.object({ return_url: z.string().nullable(), refresh_url: z.string().nullable() });

/** Where an app's users come back to from the processor. */
export const getConnectUrls = (db: Db, owner: string): Promise<z.infer<typeof urlsRow>> =>
  db.one(sql.prepared('connect_urls', urlsRow)`
    select a.connect_return_url as return_url, a.connect_refresh_url as refresh_url
    from apps a
    where a.id = ${owner}`);

const payoutRow = z.object({
  id: z.string(),
  amount_cents: z.number(),
  currency: z.string(),
  status: z.enum(['pending', 'submitted', 'completed', 'failed']),
  processor_transfer_id: z.string().nullable(),
  failure_reason: z.string().nullable(),
  requested_at: z.string(),
  completed_at: z.string().nullable(),
});

export type Payout = z.infer<typeof payoutRow>;

const payouts = (condition: FragmentSqlToken) => sql.fragment`
  select p.id, p.amount_cents, p.currency, p.status, p.processor_transfer_id, p.failure_reason, p.requested_at, p.completed_at
  from payouts p
  where ${condition}`;

/** A user's payouts, newest first, from behind `cursor` on. */
export const listUserPayouts = (
  db: Db,
  owner: string,
  userId: string,
  { cursor, limit }: { cursor: string | null; limit: number },
): Promise<readonly Payout[]> =>
  db.any(sql.prepared('list_user_payouts', payoutRow)`
    ${payouts(sql.fragment`p.owner = ${owner} and p.user_id = ${userId}`)}
      and (${cursor}::text is null or (p.requested_at, p.id) < (
        select c.requested_at, c.id
        from payouts c
        where c.id = ${cursor}
      ))
    order by p.requested_at desc, p.id desc
    limit ${limit}`);

/** One payout of a user. */
export const findUserPayout = (db: Db, owner: string, userId: string, id: string): Promise<Payout | null> =>
  db.maybeOne(sql.prepared('find_user_payout', payoutRow)`
    ${payouts(sql.fragment`p.id = ${id} and p.owner = ${owner} and p.user_id = ${userId}`)}`);

/** What of an account's earnings is asked for or paid already, in cents. */
export const findSpokenFor = (db: Db, accounts: string[]): Promise<number> =>
  db.oneFirst(sql.prepared('spoken_for', z.object({ cents: z.number() }))`
    select coalesce(sum(p.amount_cents), 0)::bigint as cents
    from payouts p
    where p.prop_account_id = any(${sql.array(accounts, 'text')}) and p.returned_at is null`);

const stepRow = z.object({
  payoutId: z.string(),
  accountId: z.string(),
  amountCents: z.number(),
  currency: z.string(),
});

/** What the processor is asked for in a step of a payout, transfer or payout to the bank. Throws where there is none. */
export const getPayoutStep = (db: Db, payoutId: string): Promise<z.infer<typeof stepRow>> =>
  db.one(sql.prepared('payout_step', stepRow)`
    select p.id as "payoutId", c.processor_account_id as "accountId", p.amount_cents as "amountCents", p.currency
    from payouts p
    join connect_accounts c on c.id = p.connect_account_id
    where p.id = ${payoutId}`);

const unfinishedRow = z.object({ processor_account_id: z.string() });

/** Accounts that cannot be paid out to yet and are due for a look, at most so many; due again `everyS` seconds later. */
export const takeUnfinishedAccounts = (
  db: Db,
  everyS: number,
  most: number,
): Promise<readonly z.infer<typeof unfinishedRow>[]> =>
  db.any(sql.type(unfinishedRow)`
    update connect_accounts c
    set looked_at = now()
    where c.id in (${dueForLook(
      { table: 'connect_accounts', key: 'id', since: 'created_at' },
      sql.fragment`not t.payouts_enabled and t.created_at > now() - interval '30 days'`,
      { everyS, most },
    )})
    returning c.processor_account_id`);

const openRow = z.object({ processor_payout_id: z.string(), processor_account_id: z.string() });

/** Payouts under way that are due for a look, at most so many; they are due again `everyS` seconds later. */
export const takeOpenPayouts = (db: Db, everyS: number, most: number): Promise<readonly z.infer<typeof openRow>[]> =>
  db.any(sql.type(openRow)`
    update payouts p
    set looked_at = now()
    from connect_accounts c
    where c.id = p.connect_account_id
      and p.id in (${dueForLook(
        { table: 'payouts', key: 'id', since: 'submitted_at' },
        sql.fragment`t.status = 'submitted' and t.processor_payout_id is not null`,
        { everyS, most },
      )})
    returning p.processor_payout_id, c.processor_account_id`);
