import { readWeights } from '../../../capacity/exchange.ts';
import type { Db } from '../../../db/pool.ts';
import { minus } from '../../../kernel/decimals.ts';
import { coinOf, dexOf, legCloid } from '../../../kernel/exchange-names.ts';
import { hasEnded } from '../../../kernel/exchange-order-state.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import { found, type ReadResult } from '../../../kernel/upstream-result.ts';
import { epochMs } from '../../../kernel/work.ts';
import type { Exvenue, OrderRecord } from '../adapter/types.ts';
import { isChanged } from '../filled.ts';
import { cancelNext } from './cancel.ts';
import { type EndedParent, type ExitsOutcome, exitsOutcome, type ObservedLeg } from './exit-outcome.ts';
import { followUp, laneOf } from './follow-up.ts';
import { findLaterCommands } from './plans/queries.ts';
import { protect } from './protect.ts';
import type { RecordedExchangeOrder } from './queries.ts';
import { legsOf } from './rules.ts';
import { ALL_PAIRS, noteExits } from './store.ts';

type Deps = { db: Db; exvenue: Exvenue; config: { EXVENUE_READ_LAG_MS: number } };

/**
 * Reads the exits of an order that has ended, records the outcome, and places lost exits again. Nothing is decided while reads
 * may be behind, or the exchange is unreadable. Resolves to the weight of the reads.
 */
export async function settleExits({ db, exvenue, config }: Deps, order: RecordedExchangeOrder, ended: EndedParent) {
  const parent = wholeOf(order, ended);
  const lagMs = config.EXVENUE_READ_LAG_MS;
  const legs: ObservedLeg[] = [];
  for (const leg of legsOf(order.terms)) {
    legs.push({ leg, record: await readLeg(exvenue, order.trader, legCloid(order.id, leg)) });
  }
  let weight = legs.length * readWeights.light;
  let outcome = exitsOutcome(parent, legs, { nowMs: epochMs(), lagMs });
  if (outcome && legs.some(({ record }) => record.kind === 'absent')) {
    weight += readWeights.usual;
    outcome = exitsOutcome(parent, await asListed(exvenue, order, legs), { nowMs: epochMs(), lagMs });
  }
  if (outcome) {
    const next = outcome.lost.length > 0 ? placedAgain(order, outcome.lost) : await endedLate(db, order, openOf(legs));
    await noteExits(db, order.id, outcome.report, next);
  }
  return weight;
}

/** An order that has ended. The sizes of one that its trader has changed are those of our records. */
function wholeOf({ executed }: RecordedExchangeOrder, ended: EndedParent): EndedParent {
  if (!isChanged(ended.order.oid, executed)) return ended;
  const [originalSize, filled] = [executed?.size ?? '0', executed?.filled_size ?? '0'];
  return { ...ended, order: { ...ended.order, originalSize, size: minus(originalSize, filled) } };
}

/** An exit, which need not be read if the stream says that it has ended. */
async function readLeg(exvenue: Exvenue, wallet: WalletAddress, cloid: string): Promise<ReadResult<OrderRecord>> {
  const update = await exvenue.updates.find(cloid);
  return update && hasEnded(update) ? found(update) : exvenue.orderStatus(wallet, cloid);
}

/** The exits with those that the list of open orders shows. The venue may have no record of an order that it lists: see venues/exchange.md#rows. */
async function asListed(
  exvenue: Exvenue,
  { trader, id, terms }: RecordedExchangeOrder,
  legs: readonly ObservedLeg[],
): Promise<ObservedLeg[]> {
  const open = await exvenue.openOrders(trader, dexOf(coinOf(terms.pair)));
  return legs.map(({ leg, record }) => {
    if (record.kind !== 'absent') return { leg, record };
    if (open.kind === 'unreadable') return { leg, record: open };
    const order = open.data.find(({ cloid }) => cloid === legCloid(id, leg));
    if (!order) return { leg, record };
    return { leg, record: found({ order, state: 'open', word: 'open', rejected: null, statusMs: order.placedMs }) };
  });
}

/** The numbers of the exits that rest. */
const openOf = (legs: ObservedLeg[]): number[] =>
  legs.flatMap(({ record }) => (record.kind === 'found' && record.data.state === 'open' ? record.data.order.oid : []));

/**
 * Cancels exits that rest although all orders were cancelled after their order was accepted: it was in doubt then, and its
 * exits could not be found yet.
 */
async function endedLate(db: Db, order: RecordedExchangeOrder, open: number[]) {
  const { id, owner, trader: wallet } = order;
  if (open.length === 0) return null;
  const asked = { owner, wallet, pair: ALL_PAIRS, orderId: id, lane: laneOf(wallet), self: id };
  const later = await findLaterCommands(db, asked);
  return later.legs.length > 0 ? cancelNext(order, { wallet, oids: open, coin: coinOf(order.terms.pair) }) : null;
}

/** Places lost exits of an order for its position, unless a later command has decided about them. */
function placedAgain(order: RecordedExchangeOrder, lost: ExitsOutcome['lost']) {
  const { pair, take_profit, stop_loss } = order.terms;
  return followUp(order, protect, {
    wallet: order.trader,
    pair,
    take_profit: lost.includes('tp') ? take_profit : null,
    stop_loss: lost.includes('sl') ? stop_loss : null,
  });
}
