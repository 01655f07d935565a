import { isCheaperOneByOne, readWeights } from '../../../capacity/exchange.ts';
import type { Db } from '../../../db/pool.ts';
import { cloidOf, coinOf, dexOf, legCloid } from '../../../kernel/exchange-names.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Exvenue } from '../adapter/types.ts';
import { cancel } from './cancel.ts';
import { type ExitsOutcome, exitsOutcome, type ObservedLeg } from './exit-outcome.ts';
import { followUp, laneOf } from './follow-up.ts';
import { protect } from './protect.ts';
import { findLaterCommands, type RecordedExchangeOrder } from './queries.ts';
import { type Leg, legsOf } from './rules.ts';
import { ALL_PAIRS, noteExits, planExitWatch, takeWaitingExits } from './store.ts';

/** The dependencies of `watchExits`. */
export type WatchDeps = { db: Db; exvenue: Exvenue };

const WALLETS_AT_ONCE = 20;
/** The weight that these reads take in a second: a fifth of the deployment's. */
const WEIGHT_PER_S = 4;
const SHORTEST_PAUSE_S = 10;

/**
 * Reads exits that wait for the fill of their order, records the outcome, and places lost exits again. One read of a
 * wallet's open orders tells which of many orders have ended; only those are looked at. The next run follows as soon as
 * the weight of this one allows, so a few hundred resting orders delay a lost exit by seconds.
 */
export async function watchExits({ db, exvenue }: WatchDeps): Promise<void> {
  const waiting = await takeWaitingExits(db, WALLETS_AT_ONCE);
  let weight = 0;
  for (const orders of groupedByBook(waiting)) {
    const candidates = await mayHaveEnded(exvenue, orders);
    weight += candidates.length * readWeights.light + (isCheaperOneByOne(orders.length) ? 0 : readWeights.usual);
    for (const order of candidates) {
      const observed = await readExits(exvenue, order);
      if (!observed) continue;
      const { report, lost } = observed;
      const next = lost.length > 0 ? placedAgain(order, lost) : await endedLate(db, order, observed);
      await noteExits(db, order.id, report, next);
    }
  }
  if (waiting.length > 0) await planExitWatch(db, Math.max(SHORTEST_PAUSE_S, weight / WEIGHT_PER_S));
}

/** The orders of each wallet on each dex: the venue lists open orders by these. */
const groupedByBook = (orders: readonly RecordedExchangeOrder[]) =>
  Object.values(Object.groupBy(orders, ({ trader, terms }) => `${trader} ${dexOf(coinOf(terms.pair))}`)).map(
    (group = []) => group,
  );

/** The orders that the list of open orders lacks. All of them if there are few; none if the list is unreadable. */
async function mayHaveEnded(exvenue: Exvenue, orders: RecordedExchangeOrder[]): Promise<RecordedExchangeOrder[]> {
  const [first] = orders;
  if (!first || isCheaperOneByOne(orders.length)) return orders;
  const list = await exvenue.openOrderNames(first.trader, dexOf(coinOf(first.terms.pair)));
  if (list.kind !== 'found') return [];
  const open = new Set(list.data.map(({ cloid }) => cloid));
  return orders.filter(({ id }) => !open.has(cloidOf(id)));
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
