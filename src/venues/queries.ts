import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { type Hotkey, idSchema, type OrderUuid, type OwnerId, orderIdsOf } from '../kernel/ids.ts';
import { wantedEntry } from './exits.ts';

const placedRow = z.object({
  id: idSchema.order,
  name: idSchema.order,
  pair: z.string(),
  size: z.string().nullable(),
  whole_size: z.string().nullable(),
  status: z.string().nullable(),
  take_profit: z.string().nullable(),
  stop_loss: z.string().nullable(),
  order_type: z.string().nullable(),
  limit_price: z.string().nullable(),
  ex_order_id: z.string().nullable(),
  trigger_status: z.enum(['not_requested', 'pending_parent_fill', 'placed', 'partial_failure', 'failed']).nullable(),
  trigger_error: z.string().nullable(),
  tp_order_id: z.string().nullable(),
  sl_order_id: z.string().nullable(),
  created_at: z.string(),
});

/**
 * The members of an order placed through this service that histories show. `name`: its owner's name of it. `whole_size`: what all of its
 * executions add up to: its size, or less of a reduce-only order that the exchange has shrunk with its position and filled. `status`: as recorded.
 */
export type PlacedOrder = z.infer<typeof placedRow>;

/** An owner's orders at the exchange, closings included, among the given ids and the exchange's numbers, by either. */
export const listPlacedOrders = async (
  db: Db,
  owner: OwnerId,
  ids: string[],
  oids: string[] = [],
): Promise<ReadonlyMap<string, PlacedOrder>> => {
  const rows = await db.any(sql.prepared('placed_orders', placedRow)`
    select o.id, coalesce(o.given_id, o.id) as name, o.pair, o.executed ->> 'size' as size,
      case when o.executed ->> 'status' = 'filled' and (terms_of(o.id, o.terms) ->> 'reduce_only')::boolean
        then o.executed ->> 'filled_size' else o.executed ->> 'size' end as whole_size, o.executed ->> 'status' as status,
      terms_of(o.id, o.terms) ->> 'take_profit' as take_profit,
      terms_of(o.id, o.terms) ->> 'stop_loss' as stop_loss, terms_of(o.id, o.terms) ->> 'order_type' as order_type,
      o.executed ->> 'limit_price' as limit_price, o.executed ->> 'ex_order_id' as ex_order_id,
      o.executed ->> 'trigger_status' as trigger_status,
      o.executed ->> 'trigger_error' as trigger_error, o.executed ->> 'tp_order_id' as tp_order_id,
      o.executed ->> 'sl_order_id' as sl_order_id, o.created_at
    from exchange_orders_among(${sql.array(ids, 'uuid')}, ${sql.array(oids, 'text')}) o
    where o.owner = ${owner}
    union all
    select i.id, coalesce(i.given_id, i.id), i.request ->> 'pair', r.result ->> 'size', r.result ->> 'size', r.result ->> 'status', null,
      null, 'market', r.result ->> 'limit_price', r.result ->> 'ex_order_id', 'not_requested', null, null, null, i.created_at
    from intents i
    cross join lateral (select i.outcome -> 'result' as result) r
    where i.id = any(${sql.array(ids, 'uuid')}) and i.owner = ${owner} and i.kind = 'exchange/close'`);
  return new Map(rows.flatMap((row) => [[row.id, row] as const, [row.ex_order_id ?? row.id, row] as const]));
};

const wantedRow = z.object({
  venue: z.string(),
  trader: z.string(),
  pair: z.string(),
  owner: idSchema.owner,
  wanted: z.array(wantedEntry),
  wanted_ago_s: z.number(),
  compared_ago_s: z.number().nullable(),
  version: z.number(),
  ended: z.record(z.string(), z.number()),
  is_missing: z.boolean(),
  is_told: z.boolean(),
  repairs: z.number(),
  repaired_by: idSchema.intent.nullable(),
  repair_state: z.string().nullable(),
  is_repair_unheard: z.boolean(),
  is_failure_told: z.boolean(),
});

/**
 * The exits that are wanted of a trader's position in a pair, and for how long they have been as they are. `compared_ago_s`: null if they
 * never were. `ended`: as the last comparison has recorded it. `is_missing`: complete reads
 * have lacked one, which `is_told` once it is confirmed. `repairs`: how often they
 * were to be put back since they are missing, last by the intent `repaired_by`, which is in `repair_state`; null before its submission.
 * `is_repair_unheard`: it ended without the venue having rejected it. `is_failure_told`: it was reported that repairs have failed.
 */
export type WantedRow = z.infer<typeof wantedRow>;

/** Whether a comparison of wanted exits is due at a venue now. */
export const isComparisonDue = (db: Db, venue: string): Promise<boolean> =>
  db.oneFirst(sql.prepared('is_comparison_due', z.object({ is_due: z.boolean() }))`
    select exists (
      select
      from (values (true), (false)) as b (is_changed)
      cross join lateral (
        select
        from wanted_exits w
        where w.venue = ${venue} and w.is_changed = b.is_changed and w.due_at <= now()
        limit 1
      ) d
    ) as is_due`);

/** The pairs of a trader at a venue in which exits are wanted, or were wanted when their absence was reported. */
export const listWantedExits = (db: Db, venue: string, trader: string): Promise<readonly WantedRow[]> =>
  db.any(sql.prepared('list_wanted_exits', wantedRow)`
    select w.venue, w.trader, w.pair, w.owner, w.wanted, extract(epoch from now() - w.wanted_at)::double precision as wanted_ago_s,
      extract(epoch from now() - w.compared_at)::double precision as compared_ago_s, w.version,
      coalesce(w.seen -> 'ended', '{}') as ended, w.missing_since is not null as is_missing, w.told_at is not null as is_told, w.repairs,
      w.repaired_by,
      (select i.state from intents i where i.id = w.repaired_by) as repair_state,
      exists (
        select
        from intents i
        where i.id = w.repaired_by and i.state in ('failed', 'expired')
          and (i.sending_at is null or i.outcome -> 'problem' ->> 'code' = 'NOT_CARRIED_OUT')
      ) as is_repair_unheard,
      coalesce(w.seen ->> 'repair' = 'failed', false) as is_failure_told
    from wanted_exits w
    where w.venue = ${venue} and w.trader = ${trader} and w.due_at is not null
    order by w.pair`);

const handleRow = z.object({ id: idSchema.order, name: idSchema.order, handle: z.string() });

/** The venue's ids of a trader's orders by the names or ids that their owner gives. Unknown names are absent. */
export async function listHandles(
  db: Db,
  { owner, trader }: { owner: OwnerId; trader: Hotkey },
  names: OrderUuid[],
): Promise<ReadonlyMap<OrderUuid, string>> {
  if (names.length === 0) return new Map();
  const ids = names.flatMap((name) => orderIdsOf(owner, name));
  const rows = await db.any(sql.prepared('order_handles', handleRow)`
    select o.id, coalesce(o.given_id, o.id) as name, coalesce(o.handle, o.id::text) as handle
    from orders o
    where o.id = any(${sql.array(ids, 'uuid')}) and o.trader = ${trader} and o.owner = ${owner}`);
  return new Map(rows.flatMap(({ id, name, handle }) => [[id, handle] as const, [name, handle] as const]));
}
