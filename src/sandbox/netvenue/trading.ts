import { addBrackets } from './brackets.ts';
import type { Pair } from './pairs.ts';
import { blank, book, clamp, executed, quantityOf } from './positions.ts';
import { rest, sweepBrackets } from './resting.ts';
import type { Asked, Side, Size } from './signal.ts';
import {
  type Account,
  balanceOf,
  type Order,
  record,
  refused,
  took,
  type Verdict,
  type World,
  worthOf,
} from './world.ts';

/** A market order: opens, increases, reduces, or closes; FLAT without a position does nothing and succeeds. */
export const placeMarket = (world: World, account: Account, pair: Pair, asked: Asked): Verdict => {
  if (world.closedMarkets.has(pair.id)) return refused(`Order rejected: market for ${pair.id} is currently closed`);
  const held = account.open.get(pair.id)?.quantity ?? 0;
  if (asked.side === 'FLAT' && held === 0) return took(null);
  const pause = cooldown(world, account, pair);
  if (pause) return refused(pause);
  const { side, size } = sized(asked);
  const executable =
    size === null
      ? { quantity: -held, cap: null }
      : clamp(account, pair, quantityOf(account, pair, size, side, pair.price), pair.price);
  if (typeof executable === 'string') return refused(executable);
  const { quantity, cap } = executable;
  const exits = { stopLoss: asked.stopLoss, takeProfit: asked.takeProfit, trailing: asked.trailing };
  const part = { uuid: asked.uuid, side, quantity, bindingCap: cap, source: 0, ...exits, brackets: asked.brackets };
  const order = fill(world, account, executed(account, pair, { ...part, execution: 'MARKET' }), 'market');
  account.lastOrderMs.set(pair.id, order.processedMs);
  if (addBrackets(world, account, order)) return took(order);
  return { error: 'Market order filled successfully, but bracket order creation failed', order };
};

/** A LIMIT or STOP_LIMIT order, held until the price comes. */
export const placeResting = (world: World, account: Account, pair: Pair, asked: Asked): Verdict => {
  const order = restingOrder(account, pair, asked);
  if (typeof order === 'string') return refused(order);
  rest(world, account, order);
  record(world, account, order.execution.toLowerCase(), order);
  return took(order);
};

/** The order a resting signal asks for, sized at its limit price; a text is a refusal. */
export const restingOrder = (account: Account, pair: Pair, asked: Asked): Order | string => {
  const { side, size } = sized(asked);
  const at = asked.limitPrice ?? pair.price;
  const wanted = size
    ? clamp(account, pair, quantityOf(account, pair, size, side, at), at)
    : 'Order size is below the minimum';
  if (typeof wanted === 'string') return wanted;
  const value = worthOf(pair, wanted.quantity, at);
  return {
    ...blank,
    ...asked,
    pair,
    side,
    quantity: wanted.quantity,
    bindingCap: wanted.cap,
    value,
    leverage: value / balanceOf(account),
    price: 0,
    source: 0,
    processedMs: Date.now(),
  };
};

/** Closes one position at the market price under a name of the venue's own making. */
export const closePosition = (
  world: World,
  account: Account,
  pairId: string,
  why: { suffix: string; source: number; kind: string },
): void => {
  const position = account.open.get(pairId);
  if (!position) return;
  const part = { uuid: `${position.uuid}-${why.suffix}`, side: 'FLAT' as const, quantity: -position.quantity };
  fill(
    world,
    account,
    executed(account, position.pair, { ...part, source: why.source, execution: 'FLAT_ALL' }),
    why.kind,
  );
};

/** Books an executed order, sweeps the brackets of a position it closed, and writes it into the ledger. */
export const fill = (world: World, account: Account, order: Order, kind: string): Order => {
  book(account, order);
  if (!account.open.has(order.pair.id)) sweepBrackets(world, account, order.pair.id);
  record(world, account, kind, order);
  return order;
};

const sized = ({ side, size }: Asked): { side: Side; size: Size | null } => ({
  side: side ?? 'FLAT',
  size: side === 'FLAT' ? null : size,
});

/** Worded as the venue words it, since callers read the seconds from it. */
const cooldown = (world: World, account: Account, pair: Pair): string | null => {
  const last = account.lastOrderMs.get(pair.id);
  const leftMs = last === undefined ? 0 : last + world.cooldownMs - Date.now();
  return leftMs > 0 ? tooSoon(pair.id, leftMs) : null;
};

/** The venue's refusal of a second order within the cooldown. */
export const tooSoon = (pairId: string, leftMs: number): string =>
  `Order for trade pair [${pairId}] was placed too soon after the previous order. ` +
  `Please wait ${(leftMs / 1000).toFixed(1)} seconds before placing another order.`;
