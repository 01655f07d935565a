import { dividedBy, isPositive, isZero } from '../../kernel/decimals.ts';
import { awaken, end, enliven, isMarketable, isOpen, lesser, reducible, take } from './book.ts';
import { type Candidate, errorOf, type Rejection } from './checks.ts';
import { magicOf } from './magic.ts';
import type { OrderTerms } from './request.ts';
import { type Account, type Order, record, type World } from './world.ts';

/** The venue's result for one item of an action. */
export type Status = 'success' | 'waitingForFill' | 'waitingForTrigger' | Record<string, unknown>;

type Grouping = 'na' | 'normalTpsl' | 'positionTpsl';

/** Places the orders of one action. With `normalTpsl` all orders but the first are exits of the first. */
export const placeOrders = (world: World, owner: Account, orders: OrderTerms[], grouping: Grouping): Status[] => {
  const [first, ...exits] = orders;
  if (grouping !== 'normalTpsl' || !first) {
    const followsPosition = grouping === 'positionTpsl';
    return orders.map((requested) => place(world, owner, requested, { followsPosition }).status);
  }
  const { status, order } = place(world, owner, first, { exits });
  return [status, ...exits.map((_, at) => exitStatus(status, order?.children[at]))];
};

/** Replaces an order. The old order ends only if the new one is valid. The cloid stays. */
export const replaceOrder = (world: World, old: Order, requested: OrderTerms): Status => {
  const { owner, followsPosition, cloid } = old;
  return place(world, owner, { ...requested, cloid: requested.cloid ?? cloid }, { followsPosition, replaces: old })
    .status;
};

type How = { followsPosition?: boolean; exits?: OrderTerms[]; replaces?: Order };

const place = (
  world: World,
  owner: Account,
  requested: OrderTerms,
  { followsPosition = false, exits = [], replaces }: How,
): { status: Status; order: Order | null } => {
  const coin = world.coinsById.get(requested.asset);
  if (!coin) return { status: { error: `Asset does not exist. asset=${requested.asset}` }, order: null };
  const order = make(world, { owner, coin, requested, followsPosition, parentPrice: null });
  const rejected = rejectionOfAll(world, order, requested, exits);
  if (rejected) return { status: reject(world, order, rejected), order };
  if (replaces) end(world, replaces, 'canceled');
  for (const placed of [order, ...order.children]) {
    name(placed);
    record(world, 'placed', placed, placed.parent ? { parent: order.oid } : {});
  }
  return { status: order.trigger ? watch(world, order) : execute(world, order), order };
};

const NO_MARGIN: Rejection = { text: 'Insufficient margin to place order.', word: 'perpMarginRejected' };

/** An invalid exit rejects the order it belongs to. */
const rejectionOfAll = (world: World, order: Order, requested: OrderTerms, exits: OrderTerms[]): Rejection | null => {
  const { owner, coin, followsPosition } = order;
  if (magicOf(requested) === 'reject') return NO_MARGIN;
  const attached = exits.map((exit) => {
    return { owner, coin, requested: exit, followsPosition: false, parentPrice: order.price };
  });
  order.children = attached.map((exit) => make(world, exit, order));
  const candidates = [{ owner, coin, requested, followsPosition, parentPrice: null }, ...attached];
  const rejected = candidates.map(errorOf).find((rejection) => rejection !== null);
  return rejected ?? (order.trigger ? null : rejectionByBook(order));
};

const make = (
  world: World,
  { owner, coin, requested, followsPosition }: Candidate,
  parent: Order | null = null,
): Order => {
  const { cloid, isBuy, price, size, reduceOnly, tif, trigger } = requested;
  const now = Date.now();
  const terms = { cloid, owner, coin, isBuy, price, size, reduceOnly, tif, trigger, followsPosition, parent };
  const progress = { originalSize: size, filledSize: '0', filledValue: '0', live: false, fired: false, status: 'open' };
  const order: Order = { oid: world.nextOid, ...terms, ...progress, children: [], placedMs: now, statusMs: now };
  world.nextOid += 1;
  owner.orders.set(order.oid, order);
  return order;
};

/** Sets the order of a cloid: the newest one, but never a rejected order while another is open. */
const name = (order: Order) => {
  const { cloid, owner } = order;
  const known = cloid ? owner.byCloid.get(cloid) : undefined;
  if (cloid && (isOpen(order) || !known || !isOpen(known))) owner.byCloid.set(cloid, order);
};

const reject = (world: World, order: Order, { text, word }: Rejection): Status => {
  for (const rejected of [order, ...order.children]) {
    rejected.status = word;
    name(rejected);
    world.news.changed(rejected);
  }
  return { error: text };
};

const exitStatus = (parent: Status, exit: Order | undefined): Status => {
  if (typeof parent === 'object' && 'error' in parent) return parent;
  return exit?.live ? 'waitingForTrigger' : 'waitingForFill';
};

/** Rejections that depend on the book. */
const rejectionByBook = (order: Order): Rejection | null => {
  const { coin, tif } = order;
  const crosses = isMarketable(order);
  if (tif === 'Alo' && crosses) {
    const text = `Post only order would have immediately matched, bbo was ${coin.mid}@${coin.mid}. asset=${coin.id}`;
    return { text, word: 'badAloPxRejected' };
  }
  if (rests(order) || (crosses && (coin.liquidity === null || isPositive(coin.liquidity)))) return null;
  const text = `Order could not immediately match against any resting orders. asset=${coin.id}`;
  return { text, word: 'iocCancelRejected' };
};

const rests = ({ tif }: Order) => tif === 'Gtc' || tif === 'Alo';

const watch = (world: World, order: Order): Status => {
  enliven(world, order);
  return order.followsPosition ? 'waitingForTrigger' : resting(order);
};

/** Fills what the book allows. The rest stays open, or is cancelled if the order must not rest. */
const execute = (world: World, order: Order): Status => {
  if (order.reduceOnly) order.size = lesser(order.size, reducible(order));
  const half = magicOf({ size: order.originalSize, reduceOnly: order.reduceOnly }) === 'half';
  const most = half ? dividedBy(order.size, '2', order.coin.sizeDecimals, 'down') : null;
  if (isMarketable(order)) take(world, order, true, most);
  if (isZero(order.size)) return filled(order);
  if (rests(order)) {
    enliven(world, order);
    return resting(order);
  }
  awaken(world, order);
  end(world, order, 'canceled');
  return filled(order);
};

const resting = ({ oid, cloid }: Order): Status => ({ resting: { oid, ...(cloid && { cloid }) } });

const filled = ({ oid, cloid, filledSize, filledValue }: Order): Status => {
  const avgPx = dividedBy(filledValue, filledSize, 8, 'down');
  return { filled: { totalSz: filledSize, avgPx, oid, ...(cloid && { cloid }) } };
};
