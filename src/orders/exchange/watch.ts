import type { Exvenue, OrderRecord } from '../../adapters/exchange/types.ts';
import type { Db } from '../../db/pool.ts';
import type { NewIntent } from '../../intents/accept.ts';
import { cloidOf, legCloid } from '../../kernel/exchange-names.ts';
import type { ReadResult } from '../../kernel/upstream-result.ts';
import { followUp } from './follow-up.ts';
import { protect } from './protect.ts';
import type { RecordedExchangeOrder } from './queries.ts';
import { type ExecutionReport, type Leg, legsOf } from './rules.ts';
import { noteExits, takeWaitingExits } from './store.ts';

/** The dependencies of `watchExits`. */
export type WatchDeps = { db: Db; exvenue: Exvenue };

const AT_ONCE = 50; // each read costs the venue's request budget

/** Reads exits that wait for the fill of their order, records the outcome, and places lost exits again. */
export async function watchExits({ db, exvenue }: WatchDeps): Promise<void> {
  for (const order of await takeWaitingExits(db, AT_ONCE)) {
    const observed = await readExits(exvenue, order);
    if (observed) await noteExits(db, order.id, observed.report, observed.next);
  }
}

/** What a read of waiting exits showed, and the follow-up intent. */
type ObservedExits = { report: Partial<ExecutionReport>; next: NewIntent | null };

/**
 * Reads the outcome of an order's exits after the order has ended. Null: the order is still open, or the exchange could
 * not be read. If a partly filled order ended together with its exits, a follow-up intent places the exits again for
 * the position.
 */
async function readExits(exvenue: Exvenue, order: RecordedExchangeOrder): Promise<ObservedExits | null> {
  const { id, trader, terms } = order;
  const parent = await exvenue.orderStatus(trader, cloidOf(id));
  if (parent.kind !== 'found' || parent.data.state === 'open' || parent.data.state === 'unknown') return null;
  const legs = legsOf(terms);
  const records: ReadResult<OrderRecord>[] = [];
  for (const leg of legs) records.push(await exvenue.orderStatus(trader, legCloid(id, leg)));
  if (records.some(({ kind }) => kind === 'unreadable')) return null;
  const oids = records.map(oidIfAlive);
  const oidOf = (leg: Leg) => oids[legs.indexOf(leg)] ?? null;
  const status = parent.data.state === 'filled' ? 'filled' : 'cancelled';
  if (oids.every((oid) => oid !== null)) {
    return {
      report: { status, tp_order_id: oidOf('tp'), sl_order_id: oidOf('sl'), trigger_status: 'placed' },
      next: null,
    };
  }
  const filledNothing = status === 'cancelled' && parent.data.order.size === parent.data.order.originalSize;
  return filledNothing ? { report: { status, ...ENDED_UNFILLED }, next: null } : replacedExits(order, status);
}

const oidIfAlive = (record: ReadResult<OrderRecord>): string | null =>
  record.kind === 'found' && ['open', 'triggered', 'filled'].includes(record.data.state)
    ? String(record.data.order.oid)
    : null;

const ENDED_UNFILLED = { trigger_status: 'failed', trigger_error: 'The order ended without being filled.' } as const;
const ENDED_FILLED = {
  trigger_status: 'partial_failure',
  trigger_error: 'The exits were cancelled with the order; new ones are placed for the position.',
} as const;

function replacedExits(order: RecordedExchangeOrder, status: ExecutionReport['status']): ObservedExits {
  const { pair, take_profit, stop_loss } = order.terms;
  const next = followUp(order, protect, { wallet: order.trader, pair, take_profit, stop_loss });
  return { report: { status, ...ENDED_FILLED }, next };
}
