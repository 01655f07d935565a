import { dividedBy, isZero, minus } from '../../kernel/decimals.ts';
import { end, enliven, finish, isMarketable, reducible, take } from './book.ts';
import { type Candidate, type Refused, refusalOf } from './checks.ts';
import { magicOf } from './magic.ts';
import { settle } from './prices.ts';
import type { OrderAsked } from './request.ts';
import { type Account, type Coin, type Order, record, type World } from './world.ts';

/** What the venue answers for one item of an action. */
export type Status = string | { error: string } | { resting: object } | { filled: object };

type Grouping = 'na' | 'normalTpsl' | 'positionTpsl';

/** Places the orders of one action; `normalTpsl` makes all but the first children of the first. */
export const placeOrders = (world: World, owner: Account, orders: OrderAsked[], grouping: Grouping): Status[] => {
  const [first, ...rest] = orders;
  if (grouping !== 'normalTpsl' || !first) {
    return orders.map((asked) => placeOne(world, owner, asked, grouping === 'positionTpsl').status);
  }
  const { status, order } = placeOne(world, owner, first, false, (parent) => adopt(world, parent, rest));
  return [status, ...rest.map((_, at) => childStatus(status, order?.children[at]))];
};

/** An order in place of another: the old one ends, the new one keeps its cloid unless it brings one. */
export const replaceOrder = (world: World, owner: Account, old: Order, asked: OrderAsked): Status => {
  end(world, old, 'canceled');
  return placeOne(world, owner, { ...asked, cloid: asked.cloid ?? old.cloid }, old.followsPosition).status;
};

type Placed = { status: Status; order: Order | null };

const placeOne = (
  world: World,
  owner: Account,
  asked: OrderAsked,
  followsPosition: boolean,
  beforeFill: (order: Order) => Refused | null = () => null,
): Placed => {
  const coin = world.coinsById.get(asked.asset);
  if (!coin) return { status: { error: `Asset does not exist. asset=${asked.asset}` }, order: null };
  const candidate = { owner, coin, asked, followsPosition, parentPrice: null };
  const refused = magicOf(asked.size) === 'refuse' ? NO_MARGIN : refusalOf(world, candidate);
  const order = make(world, candidate);
  const whole = refused ?? (asked.trigger ? null : refusedByBook(order)) ?? beforeFill(order);
  if (whole) return reject(order, whole);
  record(world, 'placed', order);
  for (const child of order.children) record(world, 'placed', child, { parent: order.oid });
  const status = asked.trigger ? watch(world, order) : execute(world, order, asked);
  settle(world, coin);
  return { status, order };
};

const NO_MARGIN = { text: 'Insufficient margin to place order.', word: 'perpMarginRejected' };

const make = (world: World, { owner, coin, asked, followsPosition }: Candidate): Order => {
  const { cloid, isBuy, price, size, reduceOnly, tif, trigger } = asked;
  const now = Date.now();
  const order: Order = {
    ...{ oid: world.nextOid, cloid, owner, coin, isBuy, price, size, originalSize: size, filledValue: '0', reduceOnly },
    ...{ tif, trigger, followsPosition, parent: null, children: [], live: false, status: 'open', placedMs: now, statusMs: now },
  };
  world.nextOid += 1;
  owner.orders.set(order.oid, order);
  if (cloid) owner.byCloid.set(cloid, order);
  return order;
};

const reject = (order: Order, { text, word }: Refused): Placed => {
  for (const child of order.children) child.status = word;
  order.status = word;
  return { status: { error: text }, order };
};

/** Makes the exits of an order its children; one bad exit refuses them all. */
const adopt = (world: World, parent: Order, exits: OrderAsked[]): Refused | null => {
  const { owner, coin, price } = parent;
  const candidates = exits.map((asked) => ({ owner, coin, asked, followsPosition: false, parentPrice: price }));
  parent.children = candidates.map((candidate) => ({ ...make(world, candidate), parent }));
  for (const child of parent.children) keep(child);
  return candidates.map((candidate) => refusalOf(world, candidate)).find((refused) => refused !== null) ?? null;
};

const keep = (order: Order) => {
  order.owner.orders.set(order.oid, order);
  if (order.cloid) order.owner.byCloid.set(order.cloid, order);
};

const childStatus = (parent: Status, child: Order | undefined): Status => {
  if (typeof parent === 'object' && 'error' in parent) return parent;
  return child?.live ? 'waitingForTrigger' : 'waitingForFill';
};

/** What only the book can refuse. */
const refusedByBook = (order: Order): Refused | null => {
  const { coin, tif } = order;
  const crosses = isMarketable(order);
  const immediate = tif === 'Ioc' || tif === 'FrontendMarket';
  if (tif === 'Alo' && crosses) {
    const text = `Post only order would have immediately matched, bbo was ${coin.mid}@${coin.mid}. asset=${coin.id}`;
    return { text, word: 'badAloPxRejected' };
  }
  if (!immediate || (crosses && (coin.liquidity === null || !isZero(coin.liquidity)))) return null;
  const text = `Order could not immediately match against any resting orders. asset=${coin.id}`;
  return { text, word: 'iocCancelRejected' };
};

const watch = (world: World, order: Order): Status => {
  if (order.followsPosition) order.size = order.originalSize;
  enliven(world, order);
  return order.followsPosition ? 'waitingForTrigger' : resting(order);
};

/** Takes what the book gives; what is left rests, or is dropped in silence where the order must not rest. */
const execute = (world: World, order: Order, asked: OrderAsked): Status => {
  if (order.reduceOnly) order.size = least(order.size, reducible(order));
  const half = magicOf(asked.size) === 'half' ? dividedBy(order.size, '2', order.coin.sizeDecimals, 'down') : null;
  const dropped = half === null ? '0' : minus(order.size, half);
  order.size = minus(order.size, dropped);
  if (isMarketable(order)) take(world, order, true);
  if (order.status === 'filled') return filled(order);
  if (order.tif === 'Gtc' || order.tif === 'Alo') {
    enliven(world, order);
    return resting(order);
  }
  end(world, order, 'canceled');
  finishChildren(world, order);
  return filled(order);
};
