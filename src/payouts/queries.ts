import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../contract/types.ts';
import type { Db } from '../db/pool.ts';
import type { OwnerId, UserId } from '../kernel/ids.ts';

const accountRow = z.custom<Omit<components['schemas']['ConnectAccount'], 'status'>>();

/** A user's account at the processor, which receives payouts. */
export type ConnectAccount = z.infer<typeof accountRow>;

/** The processor accounts of a user: at most one. */
export const listConnectAccounts = (db: Db, owner: OwnerId, userId: UserId): Promise<readonly ConnectAccount[]> =>
  db.any(sql.prepared('list_connect_accounts', accountRow)`
    select c.id, c.processor_account_id, c.country, c.payouts_enabled, c.charges_enabled, c.details_submitted, c.bank_name, c.last4
    from connect_accounts c
    where c.owner = ${owner} and c.user_id = ${userId}
    order by c.created_at`);

const urlsRow = z.object({ return_url: z.string().nullable(), refresh_url: z.string().nullable() });

/** The URLs at which an app's users return from the processor. */
export const getConnectUrls = (db: Db, owner: OwnerId): Promise<z.infer<typeof urlsRow>> =>
  db.one(sql.prepared('connect_urls', urlsRow)`
    select a.connect_return_url as return_url, a.connect_refresh_url as refresh_url
    from apps a
    where a.id = ${owner}`);

const payoutRow = z.custom<components['schemas']['UserPayout']>();

/** A payout in the form shown to its user. */
export type Payout = z.infer<typeof payoutRow>;

const payouts = (condition: FragmentSqlToken) => sql.fragment`
  select p.id, p.amount_cents, p.currency, p.status, p.processor_transfer_id, p.failure_reason, p.requested_at, p.completed_at
  from payouts p
  where ${condition}`;

/** A user's payouts, newest first, after `cursor`. */
export const listUserPayouts = (
  db: Db,
  owner: OwnerId,
  userId: UserId,
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

/** One payout of a user, or null. */
export const findUserPayout = (db: Db, owner: OwnerId, userId: UserId, id: string): Promise<Payout | null> =>
  db.maybeOne(sql.prepared('find_user_payout', payoutRow)`
    ${payouts(sql.fragment`p.id = ${id} and p.owner = ${owner} and p.user_id = ${userId}`)}`);

/** The sum of requested and paid payouts of these accounts, in cents, without those whose money came back. */
export const sumReservedCents = (db: Db, accounts: string[]): Promise<number> =>
  db.oneFirst(sql.prepared('spoken_for', z.object({ cents: z.number() }))`
    select coalesce(sum(p.amount_cents), 0)::bigint as cents
    from payouts p
    where p.prop_account_id = any(${sql.array(accounts, 'text')}) and p.returned_at is null`);

/** What the processor needs in a step of a payout: first the transfer, then the payout to the bank. */
export const payoutStepRow = z.object({
  payoutId: z.string(),
  accountId: z.string(),
  amountCents: z.number(),
  currency: z.string(),
});

/** The request of a payout step. Throws if there is no such payout. */
export const getPayoutStep = (db: Db, payoutId: string): Promise<z.infer<typeof payoutStepRow>> =>
  db.one(sql.prepared('payout_step', payoutStepRow)`
    select p.id as "payoutId", c.processor_account_id as "accountId", p.amount_cents as "amountCents", p.currency
    from payouts p
    join connect_accounts c on c.id = p.connect_account_id
    where p.id = ${payoutId}`);
