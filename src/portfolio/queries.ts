import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { type Hotkey, idSchema, type OwnerId, type WalletAddress } from '../kernel/ids.ts';

const subaccountRow = z.object({
  synthetic_hotkey: idSchema.hotkey,
  subaccount_uuid: z.string().nullable(),
  asset_class: z.string(),
  account_size: z.coerce.number(),
  status: z.string(),
});

/** A subaccount in our records. `status` is the last one reported by the network. */
export type Subaccount = z.infer<typeof subaccountRow>;

/** A subaccount of an owner; null if the owner has no such subaccount. */
export const findSubaccount = (db: Db, owner: OwnerId, syntheticHotkey: Hotkey): Promise<Subaccount | null> =>
  db.maybeOne(sql.prepared('find_subaccount', subaccountRow)`
    select s.synthetic_hotkey, s.subaccount_uuid, s.asset_class, s.account_size, s.status
    from subaccounts s
    where s.synthetic_hotkey = ${syntheticHotkey} and s.owner = ${owner}`);

const linkRow = z.object({ hotkey: idSchema.hotkey.nullable() });

/** An owner's registration of a wallet at the network. `hotkey` is null if the registrar created its account. */
export type WalletLink = z.infer<typeof linkRow>;

/**
 * An owner's registration of a wallet (in lower case): its linked subaccount, else its paid registration. Null if the
 * owner has none, whoever else may have one.
 */
export const findWalletLink = (db: Db, owner: OwnerId, wallet: WalletAddress): Promise<WalletLink | null> =>
  db.maybeOne(sql.prepared('find_wallet_link', linkRow)`
    select l.hotkey
    from (
      select s.synthetic_hotkey as hotkey, s.created_at
      from subaccounts s
      where s.owner = ${owner} and s.ex_address = ${wallet}
      union all
      select null, r.created_at
      from registrations r
      where r.owner = ${owner} and r.ex_address = ${wallet} and r.status in ('registered', 'active', 'eliminated')
    ) l
    order by l.hotkey is null, l.created_at desc
    limit 1`);

const placedRow = z.object({
  id: idSchema.order,
  pair: z.string(),
  size: z.string().nullable(),
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

/** The members of an order placed through this service that histories show. */
export type PlacedOrder = z.infer<typeof placedRow>;

/** An owner's orders at one venue among the given ids and the exchange's numbers, by either. */
export const listPlacedOrders = async (
  db: Db,
  owner: OwnerId,
  venue: 'exvenue' | 'netvenue',
  ids: string[],
  oids: string[] = [],
): Promise<ReadonlyMap<string, PlacedOrder>> => {
  const rows = await db.any(sql.prepared('placed_orders', placedRow)`
    select o.id, o.pair, o.executed ->> 'size' as size, o.terms ->> 'take_profit' as take_profit,
      o.terms ->> 'stop_loss' as stop_loss, o.terms ->> 'order_type' as order_type,
      o.executed ->> 'limit_price' as limit_price, o.executed ->> 'ex_order_id' as ex_order_id,
      o.executed ->> 'trigger_status' as trigger_status,
      o.executed ->> 'trigger_error' as trigger_error, o.executed ->> 'tp_order_id' as tp_order_id,
      o.executed ->> 'sl_order_id' as sl_order_id, o.created_at
    from orders o
    where o.owner = ${owner} and o.venue = ${venue}
      and (o.id = any(${sql.array(ids, 'uuid')})
        or o.venue = 'exvenue' and o.executed ->> 'ex_order_id' = any(${sql.array(oids, 'text')}))`);
  return new Map(rows.flatMap((row) => [[row.id, row] as const, [row.ex_order_id ?? row.id, row] as const]));
};
