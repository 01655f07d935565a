import { sql } from 'slonik';
import { z } from 'zod';
import { batchedOn } from '../db/batched.ts';
import type { Db } from '../db/pool.ts';
import { intentColumns } from '../intents/claim.ts';
import { type Intent, intentRow } from '../intents/intent.ts';
import type { Terms } from './rules.ts';

const termsOfOrder = z.custom<Terms>(); // checked against the contract when it was placed or edited
const executed = z.record(z.string(), z.union([z.string(), z.number(), z.null()])).nullable();

const orderRow = z.object({
  terms: termsOfOrder,
  lifecycle: z.enum(['resting', 'filled', 'cancelled']).nullable(),
  executed,
  handle: z.string(),
});

type OrderRow = z.infer<typeof orderRow>;

const recordedOrder = intentRow.extend({ order: orderRow.nullable() });

/** What is on record of one order uuid: the intent that made it and, where it is an order of its own, the order. */
export type RecordedOrder = Intent & { order: OrderRow | null };

/** A trader's order, or any other order verb of this uuid. Null for foreign and unknown ones alike. */
export const findRecordedOrder = (db: Db, owner: string, trader: string, uuid: string): Promise<RecordedOrder | null> =>
  db.maybeOne(sql.prepared('find_recorded_order', recordedOrder)`
    select ${intentColumns},
      case when o.id is not null
        then jsonb_build_object('terms', o.terms, 'lifecycle', o.lifecycle, 'executed', o.executed, 'handle', o.handle)
      end as "order"
    from intents i
    left join orders o on o.id = i.id
    where i.id = ${uuid} and i.owner = ${owner} and i.asked ->> 'trader' = ${trader}`);

/** Which of a trader's orders: those behind `cursor`, at most `limit`; with `open` only those that rest or have not settled. */
export type OrderPage = { open: boolean; cursor: string | null; limit: number };

/**
 * A trader's orders, newest first. The place of the cursor is looked up once, so that the index begins there; what is open is found by
 * its own two indexes, so that nobody reads a long past for it.
 */
export function listRecordedOrders(
  db: Db,
  owner: string,
  trader: string,
  { open, cursor, limit }: OrderPage,
): Promise<readonly RecordedOrder[]> {
  const behind = sql.fragment`
      and (o.created_at, o.id) < (
        (select c.created_at from orders c where c.id = ${cursor} and c.trader = ${trader}),
        ${cursor}::uuid
      )`;
  const among = open
    ? sql.fragment`(
        select r.id from orders r where r.trader = ${trader} and r.lifecycle = 'resting'
        union
        select q.id
        from intents q
        where q.state in ('queued', 'running', 'in_doubt') and q.asked ->> 'trader' = ${trader}
      ) w
      cross join lateral (
        select *
        from orders x
        where x.id = w.id
        limit 1
      ) o`
    : sql.fragment`orders o`;
  const name = `list_recorded_orders${open ? '_open' : ''}${cursor === null ? '' : '_behind'}`;
  return db.any(sql.prepared(name, recordedOrder)`
    select ${intentColumns},
      jsonb_build_object('terms', o.terms, 'lifecycle', o.lifecycle, 'executed', o.executed, 'handle', o.handle) as "order"
    from ${among}
    join intents i on i.id = o.id
    where o.trader = ${trader}
      and o.owner = ${owner}${cursor === null ? sql.fragment`` : behind}
    order by o.created_at desc, o.id desc
    limit ${limit}`);
}

/** Orders of a trader that rest by our record, with the venue's name for each. */
export const listResting = (db: Db, trader: string): Promise<readonly { id: string; handle: string }[]> =>
  db.any(sql.prepared('list_resting', z.object({ id: z.string(), handle: z.string() }))`
    select o.id, o.handle
    from orders o
    where o.trader = ${trader} and o.lifecycle = 'resting'`);

/** The pair of a trader's order; null for foreign and unknown ones alike. */
export const findOrderPair = (db: Db, owner: string, trader: string, orderId: string): Promise<string | null> =>
  db.maybeOneFirst(sql.prepared('order_pair', z.object({ pair: z.string() }))`
    select o.pair
    from orders o
    where o.id = ${orderId} and o.trader = ${trader} and o.owner = ${owner}`);

const targetRow = orderRow.omit({ executed: true }).extend({ placement: z.string() });

/** The order that a cancel or an edit is about, and how its placement stands. */
export const getTarget = (db: Db, orderId: string): Promise<z.infer<typeof targetRow>> =>
  db.one(sql.prepared('order_target', targetRow)`
    select o.terms, o.lifecycle, o.handle, i.state as placement
    from orders o
    join intents i on i.id = o.id
    where o.id = ${orderId}`);

/** The id of the order that the venue knows by a handle, where it is on record. */
export const findOrderByHandle = (db: Db, trader: string, handle: string): Promise<string | null> =>
  db.maybeOneFirst(sql.prepared('order_by_handle', z.object({ id: z.string() }))`
    select o.id
    from orders o
    where o.trader = ${trader} and o.handle = ${handle}`);

const subaccountStatus = z.object({ synthetic_hotkey: z.string(), status: z.string() });

/** The network's last known word on a trader's subaccount; readers that come together share a query. Refuses for an unknown one. */
export async function getSubaccountStatus(db: Db, syntheticHotkey: string): Promise<string> {
  const status = await subaccountStatuses(db, syntheticHotkey);
  if (status === null) throw new Error('A trader with orders has no subaccount');
  return status;
}

const subaccountStatuses = batchedOn(async (db, hotkeys: string[]): Promise<(string | null)[]> => {
  const rows = await db.any(sql.prepared('subaccount_statuses', subaccountStatus)`
    select s.synthetic_hotkey, s.status
    from unnest(${sql.array(hotkeys, 'text')}) as wanted (hotkey)
    cross join lateral (
      select k.synthetic_hotkey, k.status
      from subaccounts k
      where k.synthetic_hotkey = wanted.hotkey
      limit 1
    ) s`);
  const known = new Map(rows.map(({ synthetic_hotkey, status }) => [synthetic_hotkey, status]));
  return hotkeys.map((hotkey) => known.get(hotkey) ?? null);
});
