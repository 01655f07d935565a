import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import type { NewIntent } from '../../../intents/accept.ts';
import type { IntentOf } from '../../../intents/define.ts';
import { batchOf, succeedWith } from '../../../intents/settle.ts';
import type { OrderUuid, WalletAddress } from '../../../kernel/ids.ts';
import type { NewExits } from '../../exits.ts';
import type { CancelResult } from './cancel-result.ts';
import type { ExitsCommand } from './plans/queries.ts';
import { EXIT_NAMES, type ExecutionReport, type ExitPrices, type Leg, legsOf } from './rules.ts';

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

/** Ends a cancellation and marks the wallet's cancelled orders, by their recorded numbers. False: the claim is lost, and nothing was written. */
export const recordCancellation = (
  db: Db,
  intent: IntentOf<{ wallet: WalletAddress }>,
  result: CancelResult,
  cancelled: string[],
): Promise<boolean> =>
  succeedWith(
    db,
    'record_exchange_cancels',
    intent,
    result,
    sql.fragment`cancel_exchange_orders(${intent.request.wallet}, ${sql.array(cancelled, 'text')}, ${intent.id})`,
  );

/** Records what a later read showed of an order's exits, and submits the follow-up intent in the same transaction. */
export async function noteExits(
  db: Db,
  orderId: OrderUuid,
  report: Partial<ExecutionReport>,
  next: NewIntent | null,
): Promise<void> {
  await db.query(sql.prepared('note_exits', z.object({}))`
    select note_exits(${orderId}, ${JSON.stringify(report)}::jsonb, ${batchOf(next)}::jsonb)::text`);
}

const legRow = z.object({ leg: z.enum(['tp', 'sl']) });

/**
 * Records a successful command about exits: the exchange's number of each exit it placed, or null for a leg it ended.
 * Returns the legs about which a command that was accepted later has already decided; that one stands. Safe to repeat.
 */
export const decideExits = (
  db: Db,
  { id, wallet, pair }: ExitsCommand,
  decided: Partial<Record<Leg, string | null>>,
): Promise<readonly Leg[]> =>
  db.anyFirst(sql.prepared('decide_exits', legRow)`
    select decide_exits(${wallet}, ${pair}, ${JSON.stringify(decided)}::jsonb, ${id}) leg`);

/** Records that a command ended all exits of a wallet in a pair, or in all pairs. Safe to repeat. */
export async function endExits(db: Db, { id, wallet, pair }: ExitsCommand): Promise<void> {
  await db.query(sql.prepared('end_exits', z.object({}))`select end_exits(${wallet}, ${pair}, ${id})::text`);
}

/**
 * Ends a command that placed exits. `prices` are those that rest now and are wanted; they replace what was wanted of these legs
 * before. False: the claim is lost, and nothing was written.
 */
export function recordExits(
  db: Db,
  intent: IntentOf<{ wallet: WalletAddress; pair: string }>,
  result: Record<string, unknown>,
  prices: ExitPrices,
  next: NewIntent | null,
): Promise<boolean> {
  const legs = legsOf(prices).map((leg) => EXIT_NAMES[leg]);
  const entry: NewExits = { ...prices, trailing_stop: null, size: null };
  return succeedWith(
    db,
    'record_exchange_exits',
    intent,
    result,
    sql.fragment`record_exchange_exits(
      ${intent.id}, ${intent.owner}, ${intent.request.wallet}, ${intent.request.pair}, ${JSON.stringify(legs.length > 0 ? [entry] : [])}::jsonb,
      ${sql.array(legs, 'text')}, ${batchOf(next)}::jsonb
    )`,
  );
}

/** The recorded status of the exits of an order. */
export type ShownExits = Pick<ExecutionReport, 'trigger_status' | 'trigger_error'>;

/** Corrects the recorded status of the exits of orders. No effect on those whose exits are not found yet. */
export async function correctExits(db: Db, shown: ReadonlyMap<OrderUuid, ShownExits>): Promise<void> {
  const rows = [...shown].map(([id, exits]) => ({ id, ...exits }));
  await db.query(
    sql.prepared('correct_exits', z.object({}))`select correct_exits(${JSON.stringify(rows)}::jsonb)::text`,
  );
}

/** An exit that is wanted in a pair, by its order and leg. */
export type WantedExit = { pair: string; order_uuid: OrderUuid; leg: 'take_profit' | 'stop_loss' };

/** Records that a command cancelled exits, by the exchange's numbers, and which of the wanted ones these are. */
export async function releaseExits(
  db: Db,
  { id, wallet }: Omit<ExitsCommand, 'pair'>,
  oids: readonly string[],
  withdrawn: readonly WantedExit[],
): Promise<void> {
  await db.query(sql.prepared('release_exits', z.object({}))`
    select release_exits(${wallet}, ${sql.array([...oids], 'text')}, ${id}, ${JSON.stringify(withdrawn)}::jsonb)::text`);
}
