import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { type IntentId, idSchema, type OrderUuid, type WalletAddress } from '../../../kernel/ids.ts';
import type { Fill, FundingPayment } from '../adapter/types.ts';
import type { Leg } from '../orders/rules.ts';

const dueRow = z.object({
  ex_wallet: idSchema.wallet,
  read_to_ms: z.number(),
  is_full: z.boolean(),
  is_new: z.boolean(),
  funding_from_ms: z.number().nullable(),
});

/**
 * A wallet that is to be read. `read_to_ms` (epoch ms): up to when its executions are recorded. `is_full`: they are due, whatever
 * else shows. `is_new`: they were never read. `funding_from_ms`: from when on its funding is to be read; null if it is not due.
 */
export type DueWallet = z.infer<typeof dueRow>;

/** How soon wallets are due again, in seconds: those with orders or positions, and the others. */
export type Pace = { busyS: number; idleS: number };

/** Takes at most `most` wallets that are due, and plans their next reading. */
export const takeDueWallets = (db: Db, most: number, { busyS, idleS }: Pace): Promise<readonly DueWallet[]> =>
  db.any(sql.type(dueRow)`
    select w.ex_wallet, floor(extract(epoch from w.read_to) * 1000)::bigint read_to_ms, w.is_full, w.is_new,
      floor(extract(epoch from w.funding_from) * 1000)::bigint funding_from_ms
    from take_due_wallets(${most}, ${busyS}, ${idleS}) w`);

/**
 * An order that the exchange has ended. `filled_size`: what was filled at least, of the order with this `number`; null is the number of an order
 * without a record. `by_command`: somebody cancelled it. `is_filled`: all that was left of it was filled, which may be less than was asked for.
 */
export type EndedOrder = {
  id: OrderUuid;
  number: string | null;
  filled_size: string;
  by_command: boolean;
  is_filled: boolean;
};

/** An exit of ours: which one, and the order or command that placed it. */
export type Exit = { leg: Leg; of: IntentId };

/** An execution. `exit`: that of ours which was executed. */
export type NamedFill = Fill & { exit: Exit | null };

/**
 * Records executions of a wallet, each once, with all that follows from them: positions, resting orders and events. Those of a
 * coin come as their positions are chained. Resolves to how many are new.
 */
export const recordFills = (db: Db, wallet: WalletAddress, fills: readonly NamedFill[], ended: readonly EndedOrder[]) =>
  record(db, { wallet, fills, ended, isStreamed: false });

/** Records executions and ends of orders from the stream, as `recordFills` does; up to when the ledger was read stays unchanged. */
export const recordStreamed = (
  db: Db,
  wallet: WalletAddress,
  fills: readonly NamedFill[],
  ended: readonly EndedOrder[],
) => record(db, { wallet, fills, ended, isStreamed: true });

type Recorded = {
  wallet: WalletAddress;
  fills: readonly NamedFill[];
  ended: readonly EndedOrder[];
  isStreamed: boolean;
};

function record(db: Db, { wallet, fills, ended, isStreamed }: Recorded): Promise<number> {
  const rows = fills.flatMap((fill) => (fill.tradeId === null ? [] : rowOf(fill, fill.tradeId)));
  return db.oneFirst(sql.type(z.object({ added: z.number() }))`
    select record_exchange_fills(${wallet}, ${JSON.stringify(rows)}::jsonb, ${JSON.stringify(ended)}::jsonb, ${isStreamed}) added`);
}

/** Only the venue's oldest rows have no trade id; none of them is as new as a ledger. */
const rowOf = ({ coin, side, price, size, fee, cloid, direction, exit, ...fill }: NamedFill, trade_id: number) => ({
  ...{ trade_id, oid: String(fill.oid), coin, side, price, size, fee, cloid, direction },
  ...{ leg: exit?.leg, exit_of: exit?.of },
  ...{ start_position: fill.startPosition, closed_pnl: fill.closedPnl, fee_token: fill.feeToken },
  ...{ is_liquidation: fill.isLiquidation, at_ms: fill.timeMs },
});

/** Records since when neither a record nor a list shows some orders of a wallet, and that the others are shown. */
export async function noteAbsent(db: Db, wallet: WalletAddress, absent: readonly OrderUuid[]): Promise<void> {
  const ids = sql.array([...absent], 'uuid');
  await db.query(sql.type(z.object({}))`
    update orders o
    set absent_since = case when o.id = any(${ids}) then now() end
    where o.trader = ${wallet} and o.venue = 'exvenue' and (o.absent_since is null) = (o.id = any(${ids}))
      and (o.is_resting or o.has_waiting_triggers)`);
}

/**
 * Records funding payments of a wallet that were read up to a time (epoch ms), each once, and emits them to its
 * partners.
 */
export async function recordFunding(
  db: Db,
  wallet: WalletAddress,
  payments: readonly FundingPayment[],
  toMs: number,
): Promise<void> {
  const rows = payments.map(({ timeMs, ...payment }) => ({ ...payment, at_ms: timeMs }));
  await db.query(sql.type(z.object({}))`
    select record_exchange_funding(${wallet}, ${JSON.stringify(rows)}::jsonb, to_timestamp(${toMs / 1000}))`);
}

/** Records positions that an account showed and that executions do not explain. Sizes are signed, by coin. */
export async function recordFoundPositions(
  db: Db,
  wallet: WalletAddress,
  sizes: Record<string, string>,
): Promise<void> {
  await db.query(sql.type(z.object({}))`
    select found_exchange_positions(${wallet}, ${JSON.stringify(sizes)}::jsonb)`);
}

/** Lets a wallet be read at once. */
export async function readSoon(db: Db, wallet: WalletAddress): Promise<void> {
  await db.query(sql.prepared('read_soon', z.object({}))`
    select make_wallet_due(${wallet}, 0)::text, plan_exit_watch(0)::text`);
}

/** Plans the next reading of wallets, unless an earlier one is planned or no wallet is followed. */
export async function planWatch(db: Db, delayS: number): Promise<void> {
  await db.query(sql.type(z.object({}))`select plan_next_reading(${delayS})`);
}
