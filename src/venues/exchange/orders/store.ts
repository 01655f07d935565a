import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import type { NewIntent } from '../../../intents/accept.ts';
import type { IntentOf } from '../../../intents/define.ts';
import { batchOf, succeedWith } from '../../../intents/settle.ts';
import { type IntentId, idSchema, type OrderUuid, type WalletAddress } from '../../../kernel/ids.ts';
import type { Fill } from '../adapter/types.ts';
import type { CancelResult } from './cancel-result.ts';
import { orderColumns, type RecordedExchangeOrder, recordedOrder } from './queries.ts';
import type { ExecutionReport, Leg } from './rules.ts';

/** The pair of a command about the exits of all pairs. */
export const ALL_PAIRS = '*';

/**
 * Ends a placement and records the execution report of its order. `ended`: the follow-up intent for an order that a later
 * command has ended already, which could not see it yet. False: the claim is lost, and nothing was written.
 */
export const recordPlacement = (
  db: Db,
  intent: IntentOf<{ wallet: WalletAddress }>,
  result: components['schemas']['Order'],
  report: ExecutionReport,
  ended: NewIntent | null,
): Promise<boolean> =>
  succeedWith(
    db,
    'record_exchange_order',
    intent,
    result,
    sql.fragment`record_exchange_order(
      ${intent.id}, ${intent.request.wallet}, ${lifecycleOf(report)}, ${JSON.stringify(report)}::jsonb, ${batchOf(ended)}::jsonb
    )`,
  );

const lifecycleOf = ({ status }: ExecutionReport) =>
  status === 'open' ? 'resting' : status === 'cancelled' ? 'cancelled' : 'filled';

/** Ends a cancellation and marks the wallet's cancelled orders. False: the claim is lost, and nothing was written. */
export function recordCancellation(
  db: Db,
  intent: IntentOf<{ wallet: WalletAddress }>,
  result: CancelResult,
): Promise<boolean> {
  const cancelled = result.results
    .filter(({ status }) => status === 'cancelled')
    .flatMap(({ ex_order_id }) => ex_order_id ?? []);
  return succeedWith(
    db,
    'record_exchange_cancels',
    intent,
    result,
    sql.fragment`cancel_exchange_orders(${intent.request.wallet}, ${sql.array(cancelled, 'text')})`,
  );
}

/** Records what a later read showed of an order's exits, and submits the follow-up intent in the same transaction. */
export async function noteExits(
  db: Db,
  orderId: OrderUuid,
  report: Partial<ExecutionReport>,
  next: NewIntent | null,
): Promise<void> {
  await db.query(sql.type(z.object({}))`
    with noted as (
      update orders
      set executed = executed || ${JSON.stringify(report)}::jsonb
      where id = ${orderId} and executed ->> 'trigger_status' = 'pending_parent_fill'
      returning id
    )
    select a.verdict
    from noted
    cross join lateral accept_intents(case when noted.id is not null then ${batchOf(next)}::jsonb else '[]' end) a`);
}

/**
 * Takes the orders whose exits wait for the fill, of at most `wallets` wallets, least recently read first. One order of each
 * wallet is marked as read: one row written per wallet, however many orders rest.
 */
export const takeWaitingExits = (db: Db, wallets: number): Promise<readonly RecordedExchangeOrder[]> =>
  db.any(sql.type(recordedOrder)`
    with picked as (
      select w.trader, (array_agg(w.id))[1] as marked
      from orders w
      where w.executed ->> 'trigger_status' = 'pending_parent_fill'
      group by w.trader
      order by max((w.executed ->> 'exits_reconciled_at')::timestamptz) nulls first
      limit ${wallets}
    ), noted as (
      update orders m
      set executed = m.executed || jsonb_build_object('exits_reconciled_at', now())
      from picked p
      where m.id = p.marked
    )
    select ${orderColumns}
    from picked p
    join orders o on o.trader = p.trader and o.executed ->> 'trigger_status' = 'pending_parent_fill'`);

/** Plans the next reading of waiting exits, unless an earlier one is planned. */
export async function planExitWatch(db: Db, delayS: number): Promise<void> {
  await db.query(sql.type(z.object({}))`select plan_exit_watch(${delayS})`);
}

const walletRow = z.object({ ex_wallet: idSchema.wallet, read_to_ms: z.number() });

/**
 * Takes wallets with resting orders, least recently read first, and marks them as read. `read_to_ms` (epoch ms): from when
 * on their executions are to be read.
 */
export const takeRestingWallets = (db: Db, wallets: number): Promise<readonly z.infer<typeof walletRow>[]> =>
  db.any(sql.type(walletRow)`
    select w.ex_wallet, floor(extract(epoch from w.read_to) * 1000)::bigint read_to_ms
    from take_resting_wallets(${wallets}) w`);

/** An order that the exchange ended before it was filled, and the size that was filled. */
export type EndedOrder = { id: OrderUuid; filled_size: string };

/** Records executions of a wallet, each once, with what they say of its resting orders. Emits the orders' events. */
export async function recordFills(
  db: Db,
  wallet: WalletAddress,
  fills: readonly Fill[],
  ended: readonly EndedOrder[],
): Promise<void> {
  const rows = fills.flatMap(({ tradeId, oid, timeMs, startPosition, closedPnl, feeToken, isLiquidation, ...fill }) =>
    tradeId === null
      ? [] // only the venue's oldest rows have none
      : {
          ...{
            trade_id: tradeId,
            oid: String(oid),
            coin: fill.coin,
            side: fill.side,
            price: fill.price,
            size: fill.size,
          },
          ...{ start_position: startPosition, closed_pnl: closedPnl, fee: fill.fee, fee_token: feeToken },
          ...{ is_liquidation: isLiquidation, at_ms: timeMs },
        },
  );
  await db.query(sql.type(z.object({}))`
    select record_exchange_fills(${wallet}, ${JSON.stringify(rows)}::jsonb, ${JSON.stringify(ended)}::jsonb)`);
}

/** Plans the next reading of resting orders, unless an earlier one is planned. */
export async function planRestingOrders(db: Db, delayS: number): Promise<void> {
  await db.query(sql.type(z.object({}))`select plan_resting_orders(${delayS})`);
}

/** The exits of a wallet in a pair, and the command that is about them. */
type Command = { id: IntentId; wallet: WalletAddress; pair: string };

const legRow = z.object({ leg: z.enum(['tp', 'sl']) });

/**
 * Records a successful command about exits: the exchange's number of each exit it placed, or null for a leg it ended.
 * Returns the legs about which a command that was accepted later has already decided; that one stands. Safe to repeat.
 */
export const decideExits = (
  db: Db,
  { id, wallet, pair }: Command,
  decided: Partial<Record<Leg, string | null>>,
): Promise<readonly Leg[]> =>
  db.anyFirst(sql.prepared('decide_exits', legRow)`
    select decide_exits(${wallet}, ${pair}, ${JSON.stringify(decided)}::jsonb, ${id}) leg`);

/** Records that a command cancelled exits, by the exchange's numbers. */
export async function releaseExits(
  db: Db,
  { id, wallet }: Omit<Command, 'pair'>,
  oids: readonly string[],
): Promise<void> {
  await db.query(sql.prepared('release_exits', z.object({}))`
    select release_exits(${wallet}, ${sql.array([...oids], 'text')}, ${id})`);
}
