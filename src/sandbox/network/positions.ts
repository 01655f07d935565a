import { isBelowMinimum, type Pair } from './pairs.ts';
import type { Execution, Requested, Side, Size } from './signal.ts';
import { textsOf } from './texts.ts';
import { type Account, balanceOf, type Order, type Position, type Style, worthOf } from './world.ts';

/** Quantities below this count as zero: they are rounding errors of a closed position. */
const DUST = 1e-9;

/** The signed quantity of a size at a price: negative for SHORT, whatever sign was given. */
export const quantityOf = (account: Account, pair: Pair, { by, amount }: Size, side: Side, price: number): number => {
  const wanted = Math.abs(amount);
  const unit = worthOf(pair, 1, price);
  const value = by === 'leverage' ? wanted * balanceOf(account) : wanted;
  return (by === 'quantity' ? wanted : value / unit) * (side === 'SHORT' ? -1 : 1);
};

/**
 * The quantity that the venue executes of a requested one. Opposite orders reduce a position but never reverse it.
 * Other orders are reduced to the pair's cap without notice. Returns a text for a rejection.
 */
export const clamp = (
  style: Style,
  account: Account,
  pair: Pair,
  wanted: number,
  price: number,
): { quantity: number; cap: string | null } | string => {
  const held = account.open.get(pair.id)?.quantity ?? 0;
  if (held * wanted < 0) return { quantity: Math.sign(wanted) * Math.min(Math.abs(wanted), Math.abs(held)), cap: null };
  if (pair.state === 'deprecated') return textsOf(style).closeOnly(pair.id);
  if (isBelowMinimum(pair, Math.abs(wanted), Math.abs(worthOf(pair, wanted, price)), account.size)) {
    return `Order size is below the minimum position size of ${pair.id}`;
  }
  const room = (pair.maxLeverage * balanceOf(account)) / worthOf(pair, 1, price) - Math.abs(held);
  if (room <= DUST) return textsOf(style).noBuyingPower(pair.id);
  if (isBelowMinimum(pair, room, worthOf(pair, room, price), account.size)) return '0 order size after clamping';
  const fits = Math.abs(wanted) <= room;
  return { quantity: fits ? wanted : Math.sign(wanted) * room, cap: fits ? null : 'pair' };
};

/** Applies an executed order to its account: opens, increases, reduces or closes the position of its pair. */
export const book = (account: Account, order: Order): Position => {
  const position = account.open.get(order.pair.id) ?? open(account, order);
  position.orders.push(order);
  const reduces = position.quantity * order.quantity < 0;
  if (reduces) realize(account, position, order);
  else position.averageEntry = averageOf(position, order);
  position.quantity += order.quantity;
  if (Math.abs(position.quantity) < DUST) close(account, position, order.processedMs);
  return position;
};

/** An executed order with a quantity, at the pair's price unless another is given. */
export const executed = (
  account: Account,
  pair: Pair,
  part: { uuid: string; side: Side; quantity: number; source: number; execution: Execution } & Partial<Order>,
): Order => {
  const price = part.price ?? pair.price;
  const value = worthOf(pair, part.quantity, price);
  return { ...blank, ...part, pair, price, value, leverage: value / balanceOf(account), processedMs: Date.now() };
};

/** Defaults of the members that a signal may omit. */
export const blank = {
  limitPrice: null,
  stopPrice: null,
  stopCondition: null as Requested['stopCondition'], // as: widens the literal
  stopLoss: null,
  takeProfit: null,
  trailing: null,
  brackets: [],
  bindingCap: null,
};

const open = (account: Account, { uuid, pair, side, processedMs }: Order): Position => {
  const position = { uuid, pair, side, openMs: processedMs, closeMs: 0, quantity: 0, averageEntry: 0, realized: 0 };
  const opened: Position = { ...position, orders: [] };
  account.open.set(pair.id, opened);
  return opened;
};

const averageOf = ({ quantity, averageEntry }: Position, order: Order): number =>
  (quantity * averageEntry + order.quantity * order.price) / (quantity + order.quantity);

const realize = (account: Account, position: Position, order: Order) => {
  const gain = worthOf(position.pair, -order.quantity, order.price - position.averageEntry);
  position.realized += gain;
  account.realized += gain;
};

const close = (account: Account, position: Position, atMs: number) => {
  Object.assign(position, { quantity: 0, closeMs: atMs });
  account.open.delete(position.pair.id);
  account.closed.push(position);
};
