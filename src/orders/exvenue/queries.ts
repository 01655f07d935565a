import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import type { ExchangeTerms, Told } from './rules.ts';

const orderRow = z.object({
  id: z.string(),
  owner: z.string(),
  trader: z.string(),
  terms: z.custom<ExchangeTerms>(), // as the acceptance wrote it
  executed: z.custom<Told>().nullable(), // as the outcome wrote it
  created_at: z.string(),
});

/** An exchange order on record: its terms and what the exchange told of it. `trader` is the wallet. */
export type RecordedExchangeOrder = z.infer<typeof orderRow>;

/** Those of these ids that are exchange orders of an owner. */
export const listExchangeOrders = (db: Db, owner: string, ids: string[]): Promise<readonly RecordedExchangeOrder[]> =>
  db.any(sql.prepared('exchange_orders', orderRow)`
    select o.id, o.owner, o.trader, o.terms, o.executed, o.created_at
    from orders o
    where o.id = any(${sql.array(ids, 'uuid')}) and o.owner = ${owner} and o.venue = 'exvenue'`);

/** The builder dexes on which a wallet has placed orders through this service. */
export const listDexesTraded = async (db: Db, wallet: string): Promise<string[]> => {
  const dexes = await db.anyFirst(sql.prepared('dexes_traded', z.object({ dex: z.string() }))`
    select distinct split_part(o.pair, ':', 1) dex
    from orders o
    where o.trader = ${wallet} and o.venue = 'exvenue' and position(':' in o.pair) > 0`);
  return [...dexes];
};

/** Orders whose exits wait for them to fill, those looked at longest ago first; this counts as a look at them. */
export const takeWaitingExits = (db: Db, limit: number): Promise<readonly RecordedExchangeOrder[]> =>
  db.any(sql.type(orderRow)`
    update orders o
    set executed = o.executed || jsonb_build_object('exits_looked_at', now())
    from (
      select w.id
      from orders w
      where w.executed ->> 'trigger_status' = 'pending_parent_fill'
      order by coalesce((w.executed ->> 'exits_looked_at')::timestamptz, w.created_at)
      limit ${limit}
      for update skip locked
    ) waiting
    where o.id = waiting.id
    returning o.id, o.owner, o.trader, o.terms, o.executed, o.created_at`);
