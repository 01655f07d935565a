import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import { keysetPage } from '../../db/keyset.ts';
import type { Db } from '../../db/pool.ts';
import {
  type IntentId,
  idSchema,
  type OwnerId,
  type PayoutId,
  type PropAccountId,
  type UserId,
  type WithIds,
} from '../../kernel/ids.ts';
import type { PageRequest } from '../../kernel/pages.ts';

const accountRow = z.custom<components['schemas']['ConnectAccount']>();

/** A user's account at the processor, which receives payouts. */
export type ConnectAccount = z.infer<typeof accountRow>;

/**
 * The processor account of a user that is not detached, or null. The query names the user alone: with a condition on attached accounts, a cached plan
 * may read all of them.
 */
export const findConnectAccount = (db: Db, owner: OwnerId, userId: UserId): Promise<ConnectAccount | null> =>
  db.maybeOne(sql.prepared('find_connect_account', accountRow)`
    select c.id, c.processor_account_id, c.country, c.payouts_enabled, c.charges_enabled, c.details_submitted, c.bank_name, c.last4,
      payout_account_state(c) as status
    from (
      select *
      from connect_accounts a
      where a.user_id = ${userId}
      offset 0
    ) c
    where c.owner = ${owner} and c.detached_at is null`);

/** Whether a user has or had this account at the processor. */
export const hadConnectAccount = (db: Db, owner: OwnerId, userId: UserId, account: string): Promise<boolean> =>
  db.exists(sql.prepared('had_connect_account', z.object({}))`
    select
    from connect_accounts c
    where c.processor_account_id = ${account} and c.owner = ${owner} and c.user_id = ${userId}`);

const urlsRow = z.object({ return_url: z.string().nullable(), refresh_url: z.string().nullable() });

/** The URLs at which an app's users return from the processor. */
export const getConnectUrls = (db: Db, owner: OwnerId): Promise<z.infer<typeof urlsRow>> =>
  db.one(sql.prepared('connect_urls', urlsRow)`
    select a.connect_return_url as return_url, a.connect_refresh_url as refresh_url
    from apps a
    where a.id = ${owner}`);

const payoutRow = z.custom<components['schemas']['UserPayout'] & { id: PayoutId }>();

/** A payout in the form shown to its user. */
export type Payout = z.infer<typeof payoutRow>;

/** The columns of a payout; the row has the alias `p`, what the ledger holds of it the alias `m`, and what the bank was sent `b`. */
export const payoutColumns = sql.fragment`
  p.id, p.amount_cents, m.transferred_cents, m.reversed_cents, p.currency, payout_state(p) as status, p.processor_transfer_id, p.failure_reason,
  p.requested_at, p.completed_at, b.amount_cents as bank_amount_cents, b.currency as bank_currency`;

/** The rows of payouts with these aliases. */
export const payoutRows = sql.fragment`
  payouts p
  cross join lateral payout_money(p) m
  left join lateral bank_leg_of(p.id) b on true`;

const payouts = (condition: FragmentSqlToken) => sql.fragment`
  select ${payoutColumns}
  from ${payoutRows}
  where ${condition}`;

/** A user's payouts, newest first, after `cursor`. */
export const listUserPayouts = (db: Db, owner: OwnerId, userId: UserId, page: PageRequest) =>
  db.any(sql.prepared('list_user_payouts', payoutRow)`
    ${payouts(sql.fragment`p.owner = ${owner} and p.user_id = ${userId}`)}
      and ${keysetPage({ table: 'payouts', alias: 'p', time: 'requested_at', order: 'newest first' }, page)}`);

/** One payout of a user, or null. */
export const findUserPayout = (db: Db, owner: OwnerId, userId: UserId, id: PayoutId): Promise<Payout | null> =>
  db.maybeOne(sql.prepared('find_user_payout', payoutRow)`
    ${payouts(sql.fragment`p.id = ${id} and p.owner = ${owner} and p.user_id = ${userId}`)}`);

/** What the payouts of each account take of its earnings, in cents: without money that came back or never left. See `reserved_cents_of`. */
export const listReservedCents = (db: Db, accounts: PropAccountId[]): Promise<readonly number[]> =>
  db.anyFirst(sql.prepared('reserved_cents', z.object({ cents: z.number() }))`
    select reserved_cents_of(array[a.id]) as cents
    from unnest(${sql.array(accounts, 'text')}) with ordinality a (id, n)
    order by a.n`);

/** The account of a user's payout; null if the user has no such payout. */
export const findAccountOfPayout = (db: Db, owner: OwnerId, userId: UserId, id: PayoutId) =>
  db.maybeOneFirst(sql.prepared('account_of_payout', z.object({ prop_account_id: idSchema.propAccount }))`
    select p.prop_account_id
    from payouts p
    where p.id = ${id} and p.owner = ${owner} and p.user_id = ${userId}`);

/** What the processor needs in a step of a payout: the transfer, the payout to the bank, or a reversal. */
export const payoutStepRow = z.object({
  payoutId: idSchema.payout,
  accountId: z.string(),
  amountCents: z.number(),
  currency: z.string(),
  transferId: z.string().nullable(),
  subaccountUuid: z.string().nullable(),
  /** What the processor has made of this payout's steps. Payloads of the previous release have none. */
  knownIds: z.array(z.string()).default([]),
});

/**
 * A step, and the account that earned it (`hotkey`). `key`: its intent. `sinceMs`: when it was accepted. `isPresumed`: of a restored database, which
 * may have lost the intent that sent it then.
 */
const stepRow = payoutStepRow.extend({
  hotkey: idSchema.hotkey.nullable(),
  key: z.string(),
  step: z.enum(['transfer', 'payout', 'reversal']),
  sinceMs: z.number(),
  isPresumed: z.boolean(),
});

const steps = (condition: FragmentSqlToken) => sql.fragment`
  select p.id as "payoutId", c.processor_account_id as "accountId", s.amount_cents as "amountCents", s.currency,
    p.processor_transfer_id as "transferId", u.subaccount_uuid as "subaccountUuid", a.synthetic_hotkey as hotkey,
    array(select o.processor_id from payout_steps o where o.payout_id = p.id and o.processor_id is not null) as "knownIds",
    s.intent_id as key, s.step, extract(epoch from coalesce(i.presumed_sent_at, s.created_at))::double precision * 1000 as "sinceMs",
    i.presumed_sent_at is not null as "isPresumed"
  from payout_steps s
  join intents i on i.id = s.intent_id
  join payouts p on p.id = s.payout_id
  join connect_accounts c on c.id = p.connect_account_id
  join prop_accounts a on a.id = p.prop_account_id
  left join subaccounts u on u.synthetic_hotkey = a.synthetic_hotkey
  where ${condition}`;

/** The payout step of an intent. Throws if there is none. */
export const getPayoutStep = (db: Db, intentId: IntentId): Promise<z.infer<typeof stepRow>> =>
  db.one(sql.prepared('payout_step', stepRow)`${steps(sql.fragment`s.intent_id = ${intentId}`)}`);

/** The step of a payout whose effect is unknown, or null. */
export const findUnknownStep = (db: Db, payoutId: PayoutId): Promise<z.infer<typeof stepRow> | null> =>
  db.maybeOne(sql.type(stepRow)`${steps(sql.fragment`s.payout_id = ${payoutId} and s.state = 'unknown'`)}`);

/**
 * Why a payout must not be sent now: a code of the catalogue, or null. `earnedCents` is what its account has earned;
 * null if its amount has left the platform. `holdH`: how long money does not go to a new destination.
 */
export const findObstacle = (
  db: Db,
  payoutId: PayoutId,
  { earnedCents, holdH }: { earnedCents: number | null; holdH: number },
): Promise<string | null> =>
  db.oneFirst(sql.prepared('payout_obstacle', z.object({ obstacle: z.string().nullable() }))`
    select payout_obstacle(p.prop_account_id, p.connect_account_id,
      case when ${earnedCents}::bigint is not null then p.amount_cents end, ${earnedCents}, p.id, ${holdH}) obstacle
    from payouts p
    where p.id = ${payoutId}`);

/** Since when a payout to the bank may have been made that a restored database has lost (epoch ms); null: there is none. */
export const findLostLegSince = (db: Db, payoutId: PayoutId): Promise<number | null> =>
  db.oneFirst(sql.prepared('lost_leg_since', z.object({ since_ms: z.number().nullable() }))`
    select extract(epoch from lost_leg_since(${payoutId}))::double precision * 1000 as since_ms`);

/** Whether the bank has a payout, or it is on its way there. */
export const isAtBank = (db: Db, payoutId: PayoutId): Promise<boolean> =>
  db.exists(sql.prepared('is_at_bank', z.object({}))`
    select
    from payout_steps s
    where s.payout_id = ${payoutId} and s.step = 'payout' and s.state in ('sent', 'done')`);

/** The amount of a payout, in cents; null if it is unknown. */
export const findPayoutCents = (db: Pick<Db, 'maybeOneFirst'>, payoutId: PayoutId): Promise<number | null> =>
  db.maybeOneFirst(sql.prepared('payout_cents', z.object({ amount_cents: z.number() }))`
    select p.amount_cents
    from payouts p
    where p.id = ${payoutId}`);

const strandedRow = z.custom<WithIds<components['schemas']['StrandedPayout']>>();

/** Payouts whose money is, or may be, neither with the platform nor on its way to a bank. */
export const listStranded = (db: Db): Promise<readonly z.infer<typeof strandedRow>[]> =>
  db.any(sql.type(strandedRow)`
    select s.payout_id, s.app_id as owner, s.user_id, s.prop_account_id, s.processor_account_id, s.processor_transfer_id, s.status,
      s.amount_cents, s.transferred_cents, s.reversed_cents, s.currency, s.failure_reason, s.since, s.safe_action, s.step, s.step_state
    from ops.list_stranded_payouts() s
    order by s.since, s.payout_id`);
