import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { cloidOf, legCloid } from '../../../kernel/exchange-names.ts';
import { idSchema, isUuid, type OrderUuid, type OwnerId, orderIdsOf, type WalletAddress } from '../../../kernel/ids.ts';
import { report, terms } from './results.ts';

/** A row with the columns `orderColumns`. */
export const recordedOrder = z.object({
  id: idSchema.intent,
  given_id: idSchema.order.nullable(),
  owner: idSchema.owner,
  trader: idSchema.wallet,
  terms,
  executed: report.nullable(),
  created_at: z.string(),
});

/** A stored exchange order: its terms and its execution report. `trader` is the wallet. */
export type RecordedExchangeOrder = z.infer<typeof recordedOrder>;

/** The columns of `recordedOrder`, with the table alias `o`. */
export const orderColumns = sql.fragment`o.id, o.given_id, o.owner, o.trader, terms_of(o.id, o.terms) as terms, o.executed, o.created_at`;

/** The exchange orders of an owner among the given ids and the exchange's numbers. */
export const listExchangeOrders = (
  db: Db,
  owner: OwnerId,
  ids: OrderUuid[],
  oids: string[] = [],
): Promise<readonly RecordedExchangeOrder[]> =>
  db.any(sql.prepared('exchange_orders', recordedOrder)`
    select ${orderColumns}
    from exchange_orders_among(${sql.array(ids, 'uuid')}, ${sql.array(oids, 'text')}) o
    where o.owner = ${owner}`);

/** The orders of an owner's wallet that, by our records, came to rest within the last `withinMs` and still rest, newest first. */
export const listNewlyResting = (
  db: Db,
  owner: OwnerId,
  wallet: WalletAddress,
  withinMs: number,
): Promise<readonly RecordedExchangeOrder[]> =>
  db.any(sql.prepared('newly_resting', recordedOrder)`
    select ${orderColumns}
    from orders o
    join intents i on i.id = o.id
    where o.trader = ${wallet} and o.venue = 'exvenue' and o.is_resting and o.owner = ${owner}
      and i.settled_at > now() - make_interval(secs => ${withinMs / 1000})
    order by o.created_at desc`);

const namedRow = z.object({
  id: idSchema.intent,
  name: idSchema.order,
  pair: z.string(),
  oid: z.string().nullable(),
  status: z.string().nullable(),
  isPending: z.boolean(),
  sentAgoMs: z.number().nullable(),
  hasExits: z.boolean(),
});

/**
 * An order of ours by its names; `name`: its owner's. `status`: as its execution report says; null without one. `isPending`: its placement has
 * not ended, so the exchange's number of it is not known yet. `sentAgoMs`: for how long it has been sent; null if it was not. `hasExits`: it was
 * placed with exits.
 */
export type NamedOrder = z.infer<typeof namedRow>;

/** The orders of an owner's wallet among the given numbers, and names or ids. */
export const listNamedOrders = (
  db: Db,
  { owner, wallet, oids, orderIds }: { owner: OwnerId; wallet: WalletAddress; oids: number[]; orderIds: OrderUuid[] },
): Promise<readonly NamedOrder[]> =>
  db.any(sql.prepared('named_orders', namedRow)`
    select o.id, coalesce(o.given_id, o.id) as name, o.pair, o.executed ->> 'ex_order_id' oid, o.executed ->> 'status' status,
      (i.phase = 'pending' or i.phase = 'in_doubt') "isPending",
      extract(epoch from now() - i.sending_at)::double precision * 1000 "sentAgoMs",
      coalesce(terms_of(o.id, o.terms) ->> 'take_profit', terms_of(o.id, o.terms) ->> 'stop_loss') is not null "hasExits"
    from exchange_orders_among(
      ${sql.array(
        orderIds.flatMap((name) => orderIdsOf(owner, name)),
        'uuid',
      )},
      ${sql.array(oids.map(String), 'text')}
    ) o
    join intents i on i.id = o.id
    where o.owner = ${owner} and o.trader = ${wallet}`);

const ownRow = namedRow
  .pick({ id: true, name: true, oid: true })
  .extend({ owner: idSchema.owner, isResting: z.boolean() });

/** The orders of a wallet, whoever placed them, among these numbers and ids. `oid`: as recorded; other software may have changed it since. */
export const listOfWallet = (
  db: Db,
  wallet: WalletAddress,
  { oids, ids }: { oids: number[]; ids: string[] },
): Promise<readonly z.infer<typeof ownRow>[]> =>
  db.any(sql.prepared('orders_of_wallet', ownRow)`
    select o.id, o.owner, coalesce(o.given_id, o.id) as name, o.exchange_number oid, o.is_resting "isResting"
    from exchange_orders_among(${sql.array(ids.filter(isUuid), 'uuid')}, ${sql.array(oids.map(String), 'text')}) o
    where o.trader = ${wallet}`);

const filledRow = z.object({ id: idSchema.intent, accepted_ms: z.number() });

/**
 * The orders and closings of a wallet in a pair that the exchange reported as filled within the last `lagMs`, and when they were
 * accepted (epoch ms).
 */
export const listLastFilled = (
  db: Db,
  { wallet, lane, pair, lagMs }: { wallet: WalletAddress; lane: string; pair: string; lagMs: number },
): Promise<readonly z.infer<typeof filledRow>[]> =>
  db.any(sql.prepared('last_filled', filledRow)`
    select f.id, floor(extract(epoch from f.created_at) * 1000)::bigint accepted_ms
    from (
      select o.id, i.created_at
      from orders o
      join intents i on i.id = o.id
      where o.trader = ${wallet} and o.venue = 'exvenue' and o.pair = ${pair} and o.lifecycle = 'filled'
        and o.created_at > now() - interval '1 hour'
        and i.settled_at > now() - make_interval(secs => ${lagMs / 1000})
      union all
      select i.id, i.created_at
      from intents i
      where i.lane = ${lane} and i.kind = 'exchange/close' and i.state = 'succeeded' and i.request ->> 'pair' = ${pair}
        and i.settled_at > now() - make_interval(secs => ${lagMs / 1000})
    ) f`);

/** An order or exit of ours that may rest at the exchange. `oid`: the exchange's number, if it has been reported. */
export type RestingOrder = { cloid: string; oid: number | null; pair: string };

const restingRow = z.object({
  id: idSchema.intent,
  leg: z.enum(['tp', 'sl']).nullable(),
  oid: z.string().nullable(),
  pair: z.string(),
});

const restingOrder = ({ id, leg, oid, pair }: z.infer<typeof restingRow>): RestingOrder => ({
  cloid: leg === null ? cloidOf(id) : legCloid(id, leg),
  oid: oid === null ? null : Number(oid),
  pair,
});

/**
 * What may rest at the exchange although reads that are `lagMs` behind do not show it: orders and exits of commands that
 * ended within that time, exits that wait for their order's fill, and what commands in doubt may have placed.
 */
export const listRecordedResting = async (
  db: Db,
  { wallet, lane, lagMs }: { wallet: WalletAddress; lane: string; lagMs: number },
): Promise<RestingOrder[]> => {
  const rows = await db.any(sql.prepared('recorded_resting', restingRow)`
    with recent as (
      select o.id, o.pair, o.lifecycle, terms_of(o.id, o.terms) as terms, o.executed ->> 'ex_order_id' oid
      from orders o
      join intents i on i.id = o.id
      where o.trader = ${wallet} and o.venue = 'exvenue' and o.created_at > now() - interval '1 hour'
        and i.settled_at > now() - make_interval(secs => ${lagMs / 1000})
    ), waiting as (
      select o.id, o.pair, terms_of(o.id, o.terms) as terms
      from orders o
      where o.trader = ${wallet} and o.venue = 'exvenue' and o.has_waiting_triggers
    ), in_doubt as (
      select i.id, coalesce(i.request -> 'terms', i.request) terms, i.kind
      from intents i
      where i.phase = 'in_doubt' and i.lane = ${lane} and i.kind in ('exchange/place', 'exchange/protect')
    ), parents as (
      select id, pair, terms from recent
      union
      select id, pair, terms from waiting
      union
      select id, terms ->> 'pair', terms from in_doubt
    )
    select id, null leg, oid, pair from recent where lifecycle = 'resting'
    union all
    select id, null, null, terms ->> 'pair' from in_doubt where kind = 'exchange/place'
    union all
    select id, 'tp', null, pair from parents where terms ->> 'take_profit' is not null
    union all
    select id, 'sl', null, pair from parents where terms ->> 'stop_loss' is not null
    union all
    select p.intent_id, p.leg, p.oid, p.pair
    from exit_plans p
    where p.trader = ${wallet} and p.oid is not null and p.decided_at > now() - make_interval(secs => ${lagMs / 1000})`);
  return rows.map(restingOrder);
};

/** The orders and exits among the given exchange numbers that rest by our records, whatever their age. */
export const findResting = async (db: Db, wallet: WalletAddress, oids: readonly number[]): Promise<RestingOrder[]> => {
  const numbers = sql.array(oids.map(String), 'text');
  const rows = await db.any(sql.prepared('resting_by_oid', restingRow)`
    select o.id, null leg, o.executed ->> 'ex_order_id' oid, o.pair
    from orders o
    where o.trader = ${wallet} and o.venue = 'exvenue' and o.is_resting
      and o.exchange_number = any(${numbers})
    union all
    select p.intent_id, p.leg, p.oid, p.pair
    from exit_plans p
    where p.trader = ${wallet} and p.oid = any(${numbers})`);
  return rows.map(restingOrder);
};
