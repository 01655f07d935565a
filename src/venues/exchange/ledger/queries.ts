import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { type IntentId, idSchema, type WalletAddress } from '../../../kernel/ids.ts';
import type { Fill } from '../adapter/types.ts';
import { FINEST_LOT } from '../chain.ts';
import { orderColumns, recordedOrder } from '../orders/queries.ts';

const watchedOrder = recordedOrder.extend({
  is_resting: z.boolean(),
  waits: z.boolean(),
  is_filled: z.boolean(),
  absent_s: z.number().nullable(),
});

/**
 * An order that may change at the exchange. `waits`: its exits wait for its fill, or are not found yet. `absent_s`: for how long neither
 * a record nor a list has shown it; null if one does.
 */
export type WatchedOrder = z.infer<typeof watchedOrder>;

/** The orders of a wallet that rest by our records, and those whose exits wait. */
export const listWatchedOrders = (db: Db, wallet: WalletAddress): Promise<readonly WatchedOrder[]> =>
  db.any(sql.prepared('watched_orders', watchedOrder)`
    select ${orderColumns}, o.lifecycle is not distinct from 'resting' is_resting,
      o.has_waiting_triggers waits, o.lifecycle is not distinct from 'filled' is_filled,
      extract(epoch from now() - o.absent_since)::double precision absent_s
    from orders o
    where o.venue = 'exvenue'
      and (o.trader = ${wallet} and o.is_resting
        or o.trader = ${wallet} and o.has_waiting_triggers)`);

const positionRow = z.object({ coin: z.string(), size: z.string(), filled_ms: z.number().nullable() });

/** A position by the recorded executions of its wallet. `filled_ms`: the time of the newest one; null while there is none. */
export type RecordedPosition = z.infer<typeof positionRow>;

/** The open positions of a wallet by its recorded executions. */
export const listRecordedPositions = (db: Db, wallet: WalletAddress): Promise<readonly RecordedPosition[]> =>
  db.any(sql.prepared('recorded_positions', positionRow)`
    select p.coin, trim_scale(p.size)::text size, floor(extract(epoch from p.filled_at) * 1000)::bigint filled_ms
    from exchange_positions p
    where p.ex_wallet = ${wallet} and p.size <> 0`);

const timeRow = z.object({ coin: z.string(), filled_ms: z.number() });

/** The time of the newest recorded execution of a wallet in each of its coins (epoch ms), also in those without a position. */
export const listPositionTimes = (db: Db, wallet: WalletAddress): Promise<readonly z.infer<typeof timeRow>[]> =>
  db.any(sql.prepared('position_times', timeRow)`
    select p.coin, floor(extract(epoch from p.filled_at) * 1000)::bigint filled_ms
    from exchange_positions p
    where p.ex_wallet = ${wallet} and p.filled_at is not null`);

/** The time of the newest recorded execution of a wallet in a coin (epoch ms); 0 without any. */
export const findLastExecution = (db: Db, wallet: WalletAddress, coin: string): Promise<number> =>
  db.oneFirst(sql.prepared('last_execution', z.object({ filled_ms: z.number() }))`
    select coalesce(floor(extract(epoch from max(p.filled_at)) * 1000)::bigint, 0) filled_ms
    from exchange_positions p
    where p.ex_wallet = ${wallet} and p.coin = ${coin}`);

const sizeRow = z.object({ size: z.string() });

/** An order that has opened a position, and the orders and closings that were filled of late, in a pair of a wallet. */
type Openings = {
  wallet: WalletAddress;
  coin: string;
  lane: string;
  pair: string;
  opened: IntentId;
  filled: readonly IntentId[];
};

/**
 * The signed size of a wallet's position in a coin by its recorded executions, if they prove it: they have no gap and are all the executions of the
 * orders that opened it and that were filled lately, by what those report, and no closing is in doubt. Else null, as without a position.
 */
export const findProvenSize = (
  db: Db,
  { wallet, coin, lane, pair, opened, filled }: Openings,
): Promise<z.infer<typeof sizeRow> | null> =>
  db.maybeOne(sql.prepared('proven_size', sizeRow)`
    select trim_scale(p.size)::text size
    from exchange_positions p
    join exchange_cursors c on c.ex_wallet = p.ex_wallet
    join orders o on o.id = ${opened}
    where p.ex_wallet = ${wallet} and p.coin = ${coin} and p.size <> 0 and p.filled_at is not null
      and c.fills_read_at is not null and c.gap_at is null
      and o.lifecycle in ('filled', 'cancelled') and (o.executed ->> 'filled_size')::numeric > 0
      and not exists (
        select
        from unnest(${sql.array([opened, ...filled], 'uuid')}) as r (id)
        join intents i on i.id = r.id
        left join orders u on u.id = r.id
        where coalesce((
            select sum(f.size)
            from executions_of_order(${wallet}, coalesce(u.exchange_number, i.outcome -> 'result' ->> 'ex_order_id'), u.id) f
          ), 0) < coalesce(u.executed ->> 'filled_size', i.outcome -> 'result' ->> 'filled_size', 'infinity')::numeric
      )
      and not exists (
        select
        from intents d
        where d.phase = 'in_doubt' and d.lane = ${lane} and d.kind = 'exchange/close' and d.request ->> 'pair' = ${pair}
      )`);

const exitRow = z.object({ id: idSchema.intent });

const LOOKED_AT = 1_000; // orders, and commands: however long the history of a wallet is

/** A pair of a wallet, and the lane of its verbs. */
type Market = { wallet: WalletAddress; lane: string; pair: string };

/**
 * Orders with exits among the newest of a wallet, and the newest commands about a pair, that may have placed exits there. The client order ids
 * of exits follow from them. A command counts although a later one has replaced it: its exits may have been executed before that.
 */
export const listExitSources = (db: Db, { wallet, lane, pair }: Market): Promise<readonly { id: IntentId }[]> =>
  db.any(sql.prepared('exit_sources', exitRow)`
    select o.id
    from (
      select r.id, r.venue, r.pair, r.terms
      from orders r
      where r.trader = ${wallet}
      order by r.created_at desc
      limit ${LOOKED_AT}
    ) o
    where o.venue = 'exvenue' and o.pair = ${pair}
      and coalesce(terms_of(o.id, o.terms) ->> 'take_profit', terms_of(o.id, o.terms) ->> 'stop_loss') is not null
    union
    select o.id
    from orders o
    where o.trader = ${wallet} and o.has_waiting_triggers and o.venue = 'exvenue' and o.pair = ${pair}
    union
    select p.intent_id
    from exit_plans p
    where p.trader = ${wallet} and p.pair = ${pair}
    union
    select c.id
    from (
      select i.id, i.request
      from intents i
      where i.lane = ${lane} and i.kind = 'exchange/protect'
      order by i.created_at desc
      limit ${LOOKED_AT}
    ) c
    where c.request ->> 'pair' = ${pair}`);

/** Which of these ids are intents: executions under their client order ids belong to what the intents sent, not to exits. */
export const listIntentsAmong = (db: Db, ids: readonly string[]): Promise<readonly { id: IntentId }[]> =>
  db.any(sql.prepared('intents_among', exitRow)`
    select i.id
    from intents i
    where i.id = any(${sql.array(ids, 'uuid')})`);

const legRow = z.object({ oid: z.string(), leg: z.enum(['tp', 'sl']), of: idSchema.intent });

/** The exits that were placed with orders (`of`) of a wallet in a pair, among the given numbers of the exchange. */
export const listExitsByOid = (
  db: Db,
  { wallet, pair, oids }: { wallet: WalletAddress; pair: string; oids: readonly number[] },
): Promise<readonly z.infer<typeof legRow>[]> =>
  db.any(sql.prepared('exits_by_oid', legRow)`
    select l.oid, l.leg, o.id as of
    from orders o
    cross join lateral (values ('tp', o.executed ->> 'tp_order_id'), ('sl', o.executed ->> 'sl_order_id')) as l (leg, oid)
    where o.trader = ${wallet} and o.venue = 'exvenue' and o.pair = ${pair} and l.oid = any(${sql.array(oids.map(String), 'text')})`);

const ledgerRow = z.object({ complete_from_ms: z.number(), read_to_ms: z.number() });

/** From when on every execution of a wallet is recorded, and up to when without a gap (epoch ms). Null: it has no ledger. */
export const findLedger = (db: Db, wallet: WalletAddress): Promise<z.infer<typeof ledgerRow> | null> =>
  db.maybeOne(sql.prepared('find_ledger', ledgerRow)`
    select floor(extract(epoch from c.complete_from) * 1000)::bigint complete_from_ms,
      floor(extract(epoch from c.read_to) * 1000)::bigint read_to_ms
    from exchange_cursors c
    where c.ex_wallet = ${wallet} and c.complete_from is not null and c.fills_read_at is not null`);

const fillRow = z.object({
  tradeId: z.number(),
  oid: z.number(),
  cloid: z.string().nullable(),
  coin: z.string(),
  side: z.enum(['buy', 'sell']),
  price: z.string(),
  size: z.string(),
  timeMs: z.number(),
  startPosition: z.string(),
  direction: z.string(),
  closedPnl: z.string(),
  fee: z.string(),
  feeToken: z.string(),
  isLiquidation: z.boolean(),
});

const fillColumns = sql.fragment`f.trade_id "tradeId", f.oid::bigint oid, f.cloid, f.coin, f.side, trim_scale(f.price)::text price,
      trim_scale(f.size)::text size, round(extract(epoch from f.filled_at) * 1000)::bigint "timeMs",
      f.start_position::text "startPosition", f.direction, trim_scale(f.closed_pnl)::text "closedPnl",
      trim_scale(f.fee)::text fee, f.fee_token "feeToken", f.is_liquidation "isLiquidation"`;

/** The recorded executions of a wallet in a span (epoch ms), oldest first, those of one millisecond as their positions are chained. */
export const listRecordedFills = async (
  db: Db,
  wallet: WalletAddress,
  fromMs: number,
  toMs: number,
): Promise<Fill[]> => [
  ...(await db.any(sql.prepared('recorded_fills', fillRow)`
    select ${fillColumns}
    from exchange_fills f
    where f.ex_wallet = ${wallet} and f.filled_at >= to_timestamp(${fromMs / 1000}) and f.filled_at <= to_timestamp(${toMs / 1000})
    order by f.filled_at, f.seq`)),
];

/** The recorded executions of a wallet in a coin before a time (epoch ms), in the same order, from the last one that opened a position. */
export const listFillsSinceFlat = async (
  db: Db,
  wallet: WalletAddress,
  coin: string,
  beforeMs: number,
): Promise<Fill[]> => [
  ...(await db.any(sql.prepared('fills_since_flat', fillRow)`
    select ${fillColumns}
    from exchange_fills f
    where f.ex_wallet = ${wallet} and f.coin = ${coin} and f.filled_at < to_timestamp(${beforeMs / 1000})
      and f.filled_at >= coalesce((
        select max(g.filled_at)
        from exchange_fills g
        where g.ex_wallet = ${wallet} and g.coin = ${coin} and g.filled_at < to_timestamp(${beforeMs / 1000})
          and round(g.start_position, ${FINEST_LOT}) = 0
      ), '-infinity')
    order by f.filled_at, f.seq`)),
];

/** The recorded executions of orders of a wallet, by the exchange's numbers, in the same order. */
export const listFillsOfOrders = async (db: Db, wallet: WalletAddress, oids: readonly number[]): Promise<Fill[]> => [
  ...(await db.any(sql.prepared('fills_of_orders', fillRow)`
    select ${fillColumns}
    from exchange_fills f
    where f.ex_wallet = ${wallet} and f.oid = any(${sql.array(oids.map(String), 'text')})
    order by f.filled_at, f.seq`)),
];
