import type { Exvenue } from '../../adapters/exchange/types.ts';
import type { Db } from '../../db/pool.ts';
import { cloidOf, legCloid } from '../../kernel/exchange-names.ts';
import { type ExitsOutcome, exitsOutcome, type ObservedLeg } from './exit-outcome.ts';
import { followUp } from './follow-up.ts';
import { protect } from './protect.ts';
import type { RecordedExchangeOrder } from './queries.ts';
import { type Leg, legsOf } from './rules.ts';
import { noteExits, takeWaitingExits } from './store.ts';

/** The dependencies of `watchExits`. */
export type WatchDeps = { db: Db; exvenue: Exvenue };

const AT_ONCE = 50; // each read costs the venue's request budget

/** Reads exits that wait for the fill of their order, records the outcome, and places lost exits again. */
export async function watchExits({ db, exvenue }: WatchDeps): Promise<void> {
  for (const order of await takeWaitingExits(db, AT_ONCE)) {
    const observed = await readExits(exvenue, order);
    if (!observed) continue;
    const { report, lost } = observed;
    await noteExits(db, order.id, report, lost.length > 0 ? placedAgain(order, lost) : null);
  }
}

/** Reads an order and its exits by their client order ids. Null: nothing is decided yet, or the exchange is unreadable. */
async function readExits(exvenue: Exvenue, { id, trader, terms }: RecordedExchangeOrder): Promise<ExitsOutcome | null> {
  const parent = await exvenue.orderStatus(trader, cloidOf(id));
  if (parent.kind !== 'found' || parent.data.state === 'open') return null;
  const legs: ObservedLeg[] = [];
  for (const leg of legsOf(terms)) {
    legs.push({ leg, record: await exvenue.orderStatus(trader, legCloid(id, leg)) });
  }
  return exitsOutcome(parent.data, legs, Date.now());
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
