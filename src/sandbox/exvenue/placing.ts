import { dividedBy, isPositive, isZero } from '../../kernel/decimals.ts';
import { awaken, end, enliven, isMarketable, isOpen, lesser, reducible, take } from './book.ts';
import { type Candidate, type Refused, refusalOf } from './checks.ts';
import { magicOf } from './magic.ts';
import type { OrderAsked } from './request.ts';
import { type Account, type Order, record, type World } from './world.ts';

/** What the venue answers for one item of an action. */
export type Status = 'success' | 'waitingForFill' | 'waitingForTrigger' | Record<string, unknown>;

type Grouping = 'na' | 'normalTpsl' | 'positionTpsl';

/** Places the orders of one action; `normalTpsl` makes all but the first the exits of the first. */
export const placeOrders = (world: World, owner: Account, orders: OrderAsked[], grouping: Grouping): Status[] => {
  const [first, ...exits] = orders;
  if (grouping !== 'normalTpsl' || !first) {
    const followsPosition = grouping === 'positionTpsl';
    return orders.map((asked) => place(world, owner, asked, { followsPosition }).status);
  }
  const { status, order } = place(world, owner, first, { exits });
  return [status, ...exits.map((_, at) => exitStatus(status, order?.children[at]))];
};

/** An order in place of another, which ends only if the new one is fit to be placed. The cloid stays. */
export const replaceOrder = (world: World, old: Order, asked: OrderAsked): Status => {
  const { owner, followsPosition, cloid } = old;
  return place(world, owner, { ...asked, cloid: asked.cloid ?? cloid }, { followsPosition, replaces: old }).status;
};

type How = { followsPosition?: boolean; exits?: OrderAsked[]; replaces?: Order };

const place = (
  world: World,
  owner: Account,
  asked: OrderAsked,
  { followsPosition = false, exits = [], replaces }: How,
): { status: Status; order: Order | null } => {
  const coin = world.coinsById.get(asked.asset);
  if (!coin) return { status: { error: `Asset does not exist. asset=${asked.asset}` }, order: null };
  const order = make(world, { owner, coin, asked, followsPosition, parentPrice: null });
  const refused = refusalOfAll(world, order, asked, exits);
  if (refused) return { status: reject(order, refused), order };
  if (replaces) end(world, replaces, 'canceled');
  for (const placed of [order, ...order.children]) {
    name(placed);
    record(world, 'placed', placed, placed.parent ? { parent: order.oid } : {});
  }
  return { status: order.trigger ? watch(world, order) : execute(world, order), order };
};

const NO_MARGIN: Refused = { text: 'Insufficient margin to place order.', word: 'perpMarginRejected' };

/** One bad exit refuses the order it belongs to. */
const refusalOfAll = (world: World, order: Order, asked: OrderAsked, exits: OrderAsked[]): Refused | null => {
  const { owner, coin, followsPosition } = order;
  if (magicOf(asked.size) === 'refuse') return NO_MARGIN;
  const attached = exits.map((exit) => {
    return { owner, coin, asked: exit, followsPosition: false, parentPrice: order.price };
  });
  order.children = attached.map((exit) => make(world, exit, order));
  const candidates = [{ owner, coin, asked, followsPosition, parentPrice: null }, ...attached];
  const refused = candidates.map(refusalOf).find((refusal) => refusal !== null);
  return refused ?? (order.trigger ? null : refusalByBook(order));
};

const make = (world: World, { owner, coin, asked, followsPosition }: Candidate, parent: Order | null = null): Order => {
  const { cloid, isBuy, price, size, reduceOnly, tif, trigger } = asked;
  const now = Date.now();
  const terms = { cloid, owner, coin, isBuy, price, size, reduceOnly, tif, trigger, followsPosition, parent };
  const progress = { originalSize: size, filledSize: '0', filledValue: '0', live: false, fired: false, status: 'open' };
  const order: Order = { oid: world.nextOid, ...terms, ...progress, children: [], placedMs: now, statusMs: now };
  world.nextOid += 1;
  owner.orders.set(order.oid, order);
  return order;
};

/** A name means the newest order of it, but no refused one while another is open. */
const name = (order: Order) => {
  const { cloid, owner } = order;
  const known = cloid ? owner.byCloid.get(cloid) : undefined;
  if (cloid && (isOpen(order) || !known || !isOpen(known))) owner.byCloid.set(cloid, order);
};

const reject = (order: Order, { text, word }: Refused): Status => {
  for (const refused of [order, ...order.children]) {
    refused.status = word;
    name(refused);
  }
  return { error: text };
};

const exitStatus = (parent: Status, exit: Order | undefined): Status => {
  if (typeof parent === 'object' && 'error' in parent) return parent;
  return exit?.live ? 'waitingForTrigger' : 'waitingForFill';
};

/** What only the book can refuse. */
const refusalByBook = (order: Order): Refused | null => {
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

/** Takes what the book gives; what is left rests, or is dropped in silence where the order must not rest. */
const execute = (world: World, order: Order): Status => {
  if (order.reduceOnly) order.size = lesser(order.size, reducible(order));
  const half = magicOf(order.originalSize) === 'half';
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
