import type { Db } from '../../../db/pool.ts';
import { cloidOf, legCloid } from '../../../kernel/exchange-names.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Exvenue } from '../adapter/types.ts';
import { cancel } from './cancel.ts';
import { type ExitsOutcome, exitsOutcome, type ObservedLeg } from './exit-outcome.ts';
import { followUp, laneOf } from './follow-up.ts';
import { protect } from './protect.ts';
import { findLaterCommands, type RecordedExchangeOrder } from './queries.ts';
import { type Leg, legsOf } from './rules.ts';
import { ALL_PAIRS, noteExits, takeWaitingExits } from './store.ts';

/** The dependencies of `watchExits`. */
export type WatchDeps = { db: Db; exvenue: Exvenue };

const AT_ONCE = 50; // each read costs the venue's request budget

/** Reads exits that wait for the fill of their order, records the outcome, and places lost exits again. */
export async function watchExits({ db, exvenue }: WatchDeps): Promise<void> {
  for (const order of await takeWaitingExits(db, AT_ONCE)) {
    const observed = await readExits(exvenue, order);
    if (!observed) continue;
    const { report, lost } = observed;
    const next = lost.length > 0 ? placedAgain(order, lost) : await endedLate(db, order, observed);
    await noteExits(db, order.id, report, next);
  }
}

/** Reads an order and its exits by their client order ids. Null: nothing is decided yet, or the exchange is unreadable. */
async function readExits(exvenue: Exvenue, { id, trader, terms }: RecordedExchangeOrder): Promise<Observed | null> {
  const parent = await exvenue.orderStatus(trader, cloidOf(id));
  if (parent.kind !== 'found' || parent.data.state === 'open') return null;
  const legs: ObservedLeg[] = [];
  for (const leg of legsOf(terms)) {
    legs.push({ leg, record: await exvenue.orderStatus(trader, legCloid(id, leg)) });
  }
  const outcome = exitsOutcome(parent.data, legs, epochMs());
  const open = legs.flatMap(({ record }) =>
    record.kind === 'found' && record.data.state === 'open' ? record.data.order.oid : [],
  );
  return outcome && { ...outcome, open };
}

/** The outcome of an order's exits, and the numbers of those that rest. */
type Observed = ExitsOutcome & { open: number[] };

/**
 * Cancels exits that rest although all orders were cancelled after their order was accepted: it was in doubt then, and its
 * exits could not be found yet.
 */
async function endedLate(db: Db, order: RecordedExchangeOrder, { open }: Observed) {
  const { id, trader: wallet } = order;
  if (open.length === 0) return null;
  const later = await findLaterCommands(db, { wallet, pair: ALL_PAIRS, orderId: id, lane: laneOf(wallet) });
  return later.legs.length > 0 ? followUp(order, cancel, { wallet, oids: open }) : null;
}

/** Places lost exits of an order for its position, unless a later command has decided about them. */
function placedAgain(order: RecordedExchangeOrder, lost: Leg[]) {
  const { pair, take_profit, stop_loss } = order.terms;
  return followUp(order, protect, {
    wallet: order.trader,
    pair,
    take_profit: lost.includes('tp') ? take_profit : null,
    stop_loss: lost.includes('sl') ? stop_loss : null,
  });
}
