import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import { batchPerPool, each } from '../../../db/batch.ts';
import type { Db } from '../../../db/pool.ts';
import { intentColumns } from '../../../intents/claim.ts';
import { type Intent, intentRow } from '../../../intents/intent.ts';
import { type Hotkey, idSchema, isUuid, type OrderUuid, type OwnerId, orderIdsOf } from '../../../kernel/ids.ts';
import { executed, protection, terms } from './calls.ts';
import { LIFECYCLES } from './outcome.ts';

const orderRow = z.object({
  terms,
  lifecycle: z.enum(LIFECYCLES).nullable(),
  executed: executed.nullable(),
  protection: protection.nullable(),
  handle: z.string(),
  is_absent: z.boolean(),
});

/** The venue's id of an order `o`. */
const handleOf = sql.fragment`coalesce(o.handle, o.id::text)`;

type OrderRow = z.infer<typeof orderRow>;

const recordedOrder = intentRow.extend({ order: orderRow.nullable() });

/** The record of an order uuid: its intent and, unless the verb makes no order, the order. */
export type RecordedOrder = Intent & { order: OrderRow | null };

/** A trader's order, or another order verb, with this name or id. Null if it is unknown or belongs to another owner or trader. */
export const findRecordedOrder = (
  db: Db,
  owner: OwnerId,
  trader: Hotkey,
  uuid: OrderUuid,
): Promise<RecordedOrder | null> =>
  db.maybeOne(sql.prepared('find_recorded_order', recordedOrder)`
    select ${intentColumns},
      case when o.id is not null
        then jsonb_build_object('terms', terms_of(o.id, o.terms), 'lifecycle', o.lifecycle, 'executed', o.executed, 'protection', o.protection,
          'handle', ${handleOf}, 'is_absent', o.absent_since is not null)
      end as "order"
    from intents i
    left join orders o on o.id = i.id
    where i.id in (${sql.join(orderIdsOf(owner, uuid), sql.fragment`, `)}) and i.owner = ${owner} and i.request ->> 'trader' = ${trader}`);

/** The states by which a list of a trader's orders is filtered. `open`: those that rest or are not settled. */
export type OrderState = 'open' | 'resting' | 'filled' | 'cancelled' | 'ended' | 'failed';
/** A page of a trader's orders. `state` null: in any state. `limit` null: all of them. */
export type OrderPage = { state: OrderState | null; cursor: string | null; limit: number | null };

/**
 * A trader's orders, newest first. The position of the cursor is read once, so that the index scan starts there. Open and
 * failed orders are found by indexes of their own, so that a long history is not scanned for them. Not prepared: a plan that is
 * kept for all traders sorts the whole history of one with many orders.
 */
export function listRecordedOrders(
  db: Db,
  owner: OwnerId,
  trader: Hotkey,
  { state, cursor, limit }: OrderPage,
): Promise<readonly RecordedOrder[]> {
  const start = (names: OrderUuid[]) =>
    sql.fragment`(select c.created_at, c.id from orders c where c.id in (${sql.join(names, sql.fragment`, `)}) and c.trader = ${trader})`;
  const behind = (row: FragmentSqlToken) =>
    cursor === null ? sql.fragment`` : sql.fragment` and ${row} < ${start(orderIdsOf(owner, cursor))}`;
  const ids = {
    open: sql.fragment`
        select r.id from orders r where r.trader = ${trader} and r.is_resting
        union
        select q.id from intents q where (q.phase = 'pending' or q.phase = 'in_doubt') and q.request ->> 'trader' = ${trader}`,
    failed: sql.fragment`
        select q.id
        from intents q
        where (q.phase = 'failed' or q.phase = 'expired') and q.kind = 'network/place' and q.request ->> 'trader' = ${trader}
          and q.owner = ${owner}${behind(sql.fragment`(q.created_at, q.id)`)}
        order by q.created_at desc, q.id desc
        limit ${limit}`,
  };
  const among =
    state === 'open' || state === 'failed'
      ? sql.fragment`(${ids[state]}) w
      cross join lateral (select * from orders x where x.id = w.id limit 1) o`
      : sql.fragment`orders o`;
  return db.any(sql.type(recordedOrder)`
    select ${intentColumns},
      jsonb_build_object('terms', terms_of(o.id, o.terms), 'lifecycle', o.lifecycle, 'executed', o.executed, 'protection', o.protection,
          'handle', ${handleOf}, 'is_absent', o.absent_since is not null) as "order"
    from ${among}
    join intents i on i.id = o.id
    where o.trader = ${trader}
      and o.owner = ${owner}${state === null ? sql.fragment`` : IN_STATE[state]}${behind(sql.fragment`(o.created_at, o.id)`)}
    order by o.created_at desc, o.id desc
    limit ${limit}`);
}

/** The condition of each state. A literal, so that the index of resting orders is usable. */
const IN_STATE: Record<OrderState, FragmentSqlToken> = {
  open: sql.fragment``,
  resting: sql.fragment` and o.is_resting`,
  filled: sql.fragment` and o.lifecycle = 'filled'`,
  cancelled: sql.fragment` and o.lifecycle = 'cancelled'`,
  ended: sql.fragment` and o.lifecycle = 'ended'`,
  failed: sql.fragment``,
};

const restingRow = z.object({ id: idSchema.order, handle: z.string(), is_absent: z.boolean(), terms });

/** An order that rests according to our records, with the venue's id (`handle`) and its terms. */
export type RestingOrder = z.infer<typeof restingRow>;

/** A trader's orders that rest according to our records. */
export const listResting = (db: Db, trader: Hotkey): Promise<readonly RestingOrder[]> =>
  db.any(sql.prepared('list_resting', restingRow)`
    select o.id, ${handleOf} as handle, o.absent_since is not null as is_absent, terms_of(o.id, o.terms) as terms
    from orders o
    where o.trader = ${trader} and o.is_resting`);

/** The pair of a trader's order, by a name or id of it; null if it is unknown or belongs to another owner or trader. */
export const findOrderPair = (db: Db, owner: OwnerId, trader: Hotkey, orderId: OrderUuid): Promise<string | null> =>
  db.maybeOneFirst(sql.prepared('order_pair', z.object({ pair: z.string() }))`
    select o.pair
    from orders o
    where o.id in (${sql.join(orderIdsOf(owner, orderId), sql.fragment`, `)}) and o.trader = ${trader} and o.owner = ${owner}`);

const targetRow = orderRow
  .omit({ executed: true, protection: true, is_absent: true })
  .extend({ name: idSchema.order, placement: z.string() });

/** The order that a cancel or an edit targets, its owner's name of it, and the state of its placement intent. Throws if it does not exist. */
export const getTarget = (db: Db, orderId: OrderUuid): Promise<z.infer<typeof targetRow>> =>
  db.one(sql.prepared('order_target', targetRow)`
    select terms_of(o.id, o.terms) as terms, o.lifecycle, ${handleOf} as handle, coalesce(o.given_id, o.id) as name, i.state as placement
    from orders o
    join intents i on i.id = o.id
    where o.id = ${orderId}`);

const handledRow = z.object({ id: idSchema.order, given_id: idSchema.order.nullable() });

/** The order with the venue's id `handle`; null if it is not in our records. */
export const findOrderByHandle = (db: Db, trader: Hotkey, handle: string): Promise<z.infer<typeof handledRow> | null> =>
  db.maybeOne(sql.prepared('order_by_handle', handledRow)`
    select o.id, o.given_id
    from orders o
    where o.trader = ${trader} and ${handleOf} = ${handle} and (o.handle = ${handle} or o.id = ${isUuid(handle) ? handle : null})`);

const readinessRow = z.object({ synthetic_hotkey: idSchema.hotkey, status: z.string(), is_closing: z.boolean() });

/** Whether a trader's subaccount accepts orders: its last known status, and whether one of its closes is in flight. */
export type Readiness = { status: string; isClosing: boolean };

/** The readiness of a trader's subaccount. Concurrent reads share a query. Throws for an unknown subaccount. */
export async function getReadiness(db: Db, syntheticHotkey: Hotkey): Promise<Readiness> {
  const readiness = await readinessOf(db, syntheticHotkey);
  if (readiness === null) throw new Error('A trader with orders has no subaccount');
  return readiness;
}

const readinessOf = batchPerPool(async (db, hotkeys: Hotkey[]): Promise<(Readiness | null)[]> => {
  const rows = await db.any(sql.prepared('network_readiness', readinessRow)`
    select s.synthetic_hotkey, s.status, is_closing(s.synthetic_hotkey)
    from ${each(hotkeys)} as wanted (hotkey)
    cross join lateral (
      select k.synthetic_hotkey, k.status
      from subaccounts k
      where k.synthetic_hotkey = wanted.hotkey
      limit 1
    ) s`);
  const found = new Map(
    rows.map(({ synthetic_hotkey, status, is_closing }) => [synthetic_hotkey, { status, isClosing: is_closing }]),
  );
  return hotkeys.map((hotkey) => found.get(hotkey) ?? null);
});

/** Whether a verb of the trader that may open a position or place exits can still take effect beside a close: open in another lane, or in doubt. */
export const hasOthersUnderWay = (db: Db, trader: Hotkey, lane: string | null): Promise<boolean> =>
  db.exists(sql.prepared('network_others_under_way', z.object({}))`
    select
    from intents o
    where (o.phase = 'pending' or o.phase = 'in_doubt')
      and o.kind in ('network/place', 'network/edit', 'network/protect')
      and o.request ->> 'trader' = ${trader}
      and (o.lane is distinct from ${lane} or o.phase = 'in_doubt')`);

const [LATELY_H, NEWEST] = [24, 1_000]; // a trader may have a million orders
const filledRow = z.object({ id: idSchema.order, handle: z.string() });

/** Of the trader's newest orders in a pair the one that was filled last within a day, however long it had rested. Closes do not count. */
export const findFilledLately = (db: Db, trader: Hotkey, pair: string): Promise<z.infer<typeof filledRow> | null> =>
  db.maybeOne(sql.prepared('network_filled_lately', filledRow)`
    select o.id, ${handleOf} as handle
    from (
      select n.*, coalesce(n.ended_at, n.created_at) as filled_at
      from orders n
      where n.trader = ${trader} and n.pair = ${pair}
      order by n.created_at desc
      limit ${NEWEST}
    ) o
    where o.lifecycle = 'filled' and o.filled_at > now() - make_interval(hours => ${LATELY_H})
      and terms_of(o.id, o.terms) ->> 'order_type' <> 'FLAT'
    order by o.filled_at desc
    limit 1`);

const withExitsRow = orderRow.omit({ is_absent: true }).extend({ id: idSchema.order });

/** An order whose exits are wanted. */
export type OrderWithExits = z.infer<typeof withExitsRow>;

/** A trader's orders with these ids. */
export const listOrdersWithExits = (db: Db, trader: Hotkey, ids: string[]): Promise<readonly OrderWithExits[]> =>
  db.any(sql.prepared('list_orders_with_exits', withExitsRow)`
    select o.id, terms_of(o.id, o.terms) as terms, o.lifecycle, o.executed, o.protection, ${handleOf} as handle
    from orders o
    where o.id = any(${sql.array(ids, 'uuid')}) and o.trader = ${trader}`);

const RECENT_S = 30; // a verb that is open for longer is in doubt, and missing exits are reported although they may return

/**
 * Whether a verb is under way that may change the exits in a pair: one of the pair, or a close, which may touch every pair. `recent`: one that
 * was accepted a short time ago.
 */
export const findBusy = (db: Db, trader: Hotkey, pair: string): Promise<'recent' | 'long' | null> =>
  db.oneFirst(sql.prepared('network_busy', z.object({ busy: z.enum(['recent', 'long']).nullable() }))`
    select case when count(*) filter (where o.created_at > now() - make_interval(secs => ${RECENT_S})) > 0 then 'recent'
      when count(*) > 0 then 'long' end as busy
    from intents o
    where (o.phase = 'pending' or o.phase = 'in_doubt')
      and o.request ->> 'trader' = ${trader}
      and (o.lane = ${`netvenue:${trader}:${pair}`} or o.kind = 'network/close')`);

const identityRow = z.object({
  owner: idSchema.owner,
  subaccount_id: z.number(),
  prop_account_id: idSchema.propAccount.nullable(),
});

/** The owner of a trader, and the ids by which verbs name it: its subaccount, and its prop account, if any. */
export type TraderIdentity = z.infer<typeof identityRow>;

/** The identity of a trader; null if it is unknown. */
export const findIdentity = (db: Db, trader: Hotkey): Promise<TraderIdentity | null> =>
  db.maybeOne(sql.prepared('network_trader_identity', identityRow)`
    select s.owner, s.subaccount_id, (
      select a.id
      from prop_accounts a
      where a.synthetic_hotkey = s.synthetic_hotkey and a.owner = s.owner
      limit 1
    ) as prop_account_id
    from subaccounts s
    where s.synthetic_hotkey = ${trader}`);
