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

/** Orders whose exits wait for them to fill, those looked at longest ago first. */
export const listWaitingExits = (db: Db, limit: number): Promise<readonly RecordedExchangeOrder[]> =>
  db.any(sql.type(orderRow)`
    select o.id, o.owner, o.trader, o.terms, o.executed, o.created_at
    from orders o
    where o.executed ->> 'trigger_status' = 'pending_parent_fill'
    order by o.created_at
    limit ${limit}`);
