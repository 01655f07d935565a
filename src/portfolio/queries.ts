import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';

const subaccountRow = z.object({
  synthetic_hotkey: z.string(),
  subaccount_uuid: z.string().nullable(),
  asset_class: z.string(),
  account_size: z.coerce.number(),
  status: z.string(),
});

/** A subaccount as it is on record here; `status` is the network's last known word. */
export type OwnSubaccount = z.infer<typeof subaccountRow>;

/** One of an owner's subaccounts. Null for foreign and unknown ones alike. */
export const findOwnSubaccount = (db: Db, owner: string, syntheticHotkey: string): Promise<OwnSubaccount | null> =>
  db.maybeOne(sql.prepared('own_subaccount', subaccountRow)`
    select s.synthetic_hotkey, s.subaccount_uuid, s.asset_class, s.account_size, s.status
    from subaccounts s
    where s.synthetic_hotkey = ${syntheticHotkey} and s.owner = ${owner}`);

const placedRow = z.object({
  id: z.string(),
  pair: z.string(),
  size: z.string().nullable(),
  take_profit: z.string().nullable(),
  stop_loss: z.string().nullable(),
  order_type: z.string().nullable(),
  limit_price: z.string().nullable(),
  trigger_status: z.string().nullable(),
  trigger_error: z.string().nullable(),
  tp_order_id: z.string().nullable(),
  sl_order_id: z.string().nullable(),
  created_at: z.string(),
});

/** An order that came through this service, as far as histories show it. */
export type PlacedOrder = z.infer<typeof placedRow>;

/** Those of these ids that are an owner's orders at one venue, by id. */
export const listPlacedOrders = async (
  db: Db,
  owner: string,
  venue: 'exvenue' | 'netvenue',
  ids: string[],
): Promise<ReadonlyMap<string, PlacedOrder>> => {
  const rows = await db.any(sql.prepared('placed_orders', placedRow)`
    select o.id, o.pair, o.executed ->> 'size' as size, o.terms ->> 'take_profit' as take_profit,
      o.terms ->> 'stop_loss' as stop_loss, o.terms ->> 'order_type' as order_type,
      o.executed ->> 'limit_price' as limit_price, o.executed ->> 'trigger_status' as trigger_status,
      o.executed ->> 'trigger_error' as trigger_error, o.executed ->> 'tp_order_id' as tp_order_id,
      o.executed ->> 'sl_order_id' as sl_order_id, o.created_at
    from orders o
    where o.id = any(${sql.array(ids, 'uuid')}) and o.owner = ${owner} and o.venue = ${venue}`);
  return new Map(rows.map((row) => [row.id, row]));
};
