import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import type { OwnerId, WalletAddress } from '../../kernel/ids.ts';
import type { ExchangeTerms, ExecutionReport } from './rules.ts';

/** A row with the columns `orderColumns`. */
export const recordedOrder = z.object({
  id: z.string(),
  owner: z.string(),
  trader: z.string(),
  terms: z.custom<ExchangeTerms>(), // written by the submission
  executed: z.custom<ExecutionReport>().nullable(), // written by the placement
  created_at: z.string(),
});

/** A stored exchange order: its terms and its execution report. `trader` is the wallet. */
export type RecordedExchangeOrder = z.infer<typeof recordedOrder>;

/** The columns of `recordedOrder`, with the table alias `o`. */
export const orderColumns = sql.fragment`o.id, o.owner, o.trader, o.terms, o.executed, o.created_at`;

/** The exchange orders of an owner among the given ids. */
export const listExchangeOrders = (db: Db, owner: OwnerId, ids: string[]): Promise<readonly RecordedExchangeOrder[]> =>
  db.any(sql.prepared('exchange_orders', recordedOrder)`
    select ${orderColumns}
    from orders o
    where o.id = any(${sql.array(ids, 'uuid')}) and o.owner = ${owner} and o.venue = 'exvenue'`);

/** The builder dexes on which a wallet has placed orders through this service. */
export const listDexesTraded = async (db: Db, wallet: WalletAddress): Promise<string[]> => {
  const dexes = await db.anyFirst(sql.prepared('dexes_traded', z.object({ dex: z.string() }))`
    select distinct split_part(o.pair, ':', 1) dex
    from orders o
    where o.trader = ${wallet} and o.venue = 'exvenue' and position(':' in o.pair) > 0`);
  return [...dexes];
};
