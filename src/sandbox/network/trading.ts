import { addBrackets } from './brackets.ts';
import type { Pair } from './pairs.ts';
import { blank, book, clamp, executed, quantityOf } from './positions.ts';
import { rest, sweepBrackets } from './resting.ts';
import type { Requested, Side, Size } from './signal.ts';
import { textsOf } from './texts.ts';
import type { Account, Order, Style, Verdict, World } from './world.ts';
import { balanceOf, record, rejected, took, worthOf } from './world.ts';

/**
 * Executes a market order: opens, increases, reduces or closes a position. FLAT without a position succeeds without
 * effect.
 */
export const placeMarket = (world: World, account: Account, pair: Pair, requested: Requested): Verdict => {
  if (world.closedMarkets.has(pair.id)) return rejected(`Order rejected: market for ${pair.id} is currently closed`);
  const held = account.open.get(pair.id)?.quantity ?? 0;
  if (requested.side === 'FLAT' && held === 0) return took(null);
  const pause = cooldown(world, account, pair);
  if (pause) return rejected(pause);
  const { side, size } = sized(requested);
  const executable =
    size === null
      ? { quantity: -held, cap: null }
      : clamp(world.style, account, pair, quantityOf(account, pair, size, side, pair.price), pair.price);
  if (typeof executable === 'string') return rejected(executable);
  const { quantity, cap } = executable;
  const exits = { stopLoss: requested.stopLoss, takeProfit: requested.takeProfit, trailing: requested.trailing };
  const part = {
    uuid: requested.uuid,
    side,
    quantity,
    bindingCap: cap,
    source: 0,
    ...exits,
    brackets: requested.brackets,
  };
  const order = fill(world, account, executed(account, pair, { ...part, execution: 'MARKET' }), 'market');
  account.lastOrderMs.set(pair.id, order.processedMs);
  const failed = addBrackets(world, account, order);
  return failed === null ? took(order) : { error: textsOf(world.style).exitsFailed(failed), order };
};

/** Places a LIMIT or STOP_LIMIT order, which rests until its price is reached. */
export const placeResting = (world: World, account: Account, pair: Pair, requested: Requested): Verdict => {
  const order = restingOrder(world.style, account, pair, requested);
  if (typeof order === 'string') return rejected(order);
  rest(world, account, order);
  record(world, account, order.execution.toLowerCase(), order);
  return took(order);
};

/** The order of a resting signal, sized at its limit price. Returns a text for a rejection. */
export const restingOrder = (style: Style, account: Account, pair: Pair, requested: Requested): Order | string => {
  const { side, size } = sized(requested);
  const at = requested.limitPrice ?? pair.price;
  const wanted = size
    ? clamp(style, account, pair, quantityOf(account, pair, size, side, at), at)
    : 'Order size is below the minimum';
  if (typeof wanted === 'string') return wanted;
  const value = worthOf(pair, wanted.quantity, at);
  return {
    ...blank,
    ...requested,
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

/** Closes one position at the market price, with a uuid derived from the position's. */
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

/** Applies an executed order, withdraws the brackets of a position it closed, and writes a ledger entry. */
export const fill = (world: World, account: Account, order: Order, kind: string): Order => {
  book(account, order);
  if (!account.open.has(order.pair.id)) sweepBrackets(world, account, order.pair.id);
  record(world, account, kind, order);
  return order;
};

const sized = ({ side, size }: Requested): { side: Side; size: Size | null } => ({
  side: side ?? 'FLAT',
  size: side === 'FLAT' ? null : size,
});

/** The cooldown rejection, or null. Its wording is the venue's: callers read the seconds from it. */
export const cooldown = (world: World, account: Account, pair: Pair): string | null => {
  const last = account.lastOrderMs.get(pair.id);
  const leftMs = last === undefined ? 0 : last + world.cooldownMs - Date.now();
  return leftMs > 0 ? tooSoon(pair.id, leftMs) : null;
};

/** The venue's rejection text for a second order within the cooldown. */
export const tooSoon = (pairId: string, leftMs: number): string =>
  `Order for trade pair [${pairId}] was placed too soon after the previous order. ` +
  `Please wait ${(leftMs / 1000).toFixed(1)} seconds before placing another order.`;
