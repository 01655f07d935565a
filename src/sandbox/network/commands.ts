import { checkSignal } from './checks.ts';
import { quantityOf } from './positions.ts';
import { cancel, rest, sweepBrackets, unrest } from './resting.ts';
import type { BracketRequest, Requested } from './signal.ts';
import { textsOf } from './texts.ts';
import { closePosition, restingOrder } from './trading.ts';
import type { Account, Order, Resting, Verdict, World } from './world.ts';
import { record, rejected, took, worthOf } from './world.ts';

/** LIMIT_CANCEL of one uuid, a list, or `ALL`. Rejected if none of them rests; older builds reject one unknown uuid. */
export const cancelOrders = (world: World, account: Account, { uuid }: Requested): Verdict => {
  const names = uuid === 'ALL' ? [...account.resting.keys()] : uuid.split(',');
  const texts = textsOf(world.style);
  const found = names.map((name) => restingUnder(world, account, name));
  const missing = found.findIndex((orders) => orders.length === 0);
  if (missing >= 0 && world.style === '2025')
    return rejected(texts.nothingToCancel(account.hotkey, names[missing] ?? ''));
  const orders = new Set(found.flat());
  if (orders.size === 0 && uuid !== 'ALL') return rejected(texts.nothingToCancel(account.hotkey, uuid));
  for (const order of orders) cancel(world, account, order);
  const [first = null] = orders;
  return took(world.style === '2026' ? null : first);
};

/** The newest builds also find the exits whose uuid begins with the given one. */
const restingUnder = ({ style }: World, { resting }: Account, name: string): Resting[] => {
  const exact = resting.get(name);
  if (style === '2025') return exact ? [exact] : [];
  return [...resting.values()].filter(
    (order) => order.uuid === name || (order.execution === 'BRACKET' && order.uuid.startsWith(name)),
  );
};

/**
 * LIMIT_EDIT: replaces the whole order under its uuid, or, with bracket entries that have a uuid, only those brackets.
 */
export const editOrder = (world: World, account: Account, requested: Requested): Verdict => {
  if (requested.brackets.some(({ uuid }) => uuid !== null)) return editBrackets(world, account, requested.brackets);
  const target = account.resting.get(requested.uuid);
  if (!target) return rejected(`Cannot edit order: order ${requested.uuid} not found or not unfilled`);
  if (requested.pair !== target.pair.id) return rejected('Cannot edit order: trade pair mismatch');
  const resubmitted = { ...requested, execution: target.execution };
  checkSignal(resubmitted, (pair) => world.pairs.has(pair));
  const edited =
    target.execution === 'BRACKET'
      ? withExits(target, requested, account)
      : restingOrder(world.style, account, target.pair, resubmitted);
  if (typeof edited === 'string') return rejected(edited);
  return replace(world, account, target, edited);
};

/**
 * FLAT_ALL: closes all positions for `ALL`, else the listed ones. Unknown uuids are ignored. The newest builds then
 * cancel every exit of the account.
 */
export const flatten = (world: World, account: Account, { uuid }: Requested): Verdict => {
  const named = new Set(uuid.split(','));
  for (const position of [...account.open.values()]) {
    if (uuid !== 'ALL' && !named.has(position.uuid)) continue;
    closePosition(world, account, position.pair.id, { suffix: 'flat-all', source: 11, kind: 'flat_all' });
  }
  if (world.style === '2026') for (const pairId of world.pairs.keys()) sweepBrackets(world, account, pairId);
  return took(null);
};

/** An entry with prices changes its bracket; an entry without prices cancels it. */
const editBrackets = (world: World, account: Account, entries: BracketRequest[]): Verdict => {
  const targets = entries.map((entry) => account.resting.get(entry.uuid ?? ''));
  if (targets.includes(undefined)) return rejected('Cannot edit order: bracket order not found');
  for (const [index, entry] of entries.entries()) {
    const target = targets[index];
    if (!target) continue;
    if (hasExits(entry)) replace(world, account, target, withExits(target, entry, account));
    else cancel(world, account, target);
  }
  return took(world.style === '2026' ? null : (targets[0] ?? null));
};

const hasExits = ({ stopLoss, takeProfit, trailing }: BracketRequest) => Boolean(stopLoss ?? takeProfit ?? trailing);

/** The bracket with new prices and, if given, a new size. */
const withExits = (
  order: Resting,
  { stopLoss, takeProfit, trailing, size }: Pick<BracketRequest, 'stopLoss' | 'takeProfit' | 'trailing' | 'size'>,
  account: Account,
): Order => {
  const quantity = size ? quantityOf(account, order.pair, size, order.side, order.pair.price) : order.quantity;
  const value = worthOf(order.pair, quantity);
  return { ...order, stopLoss, takeProfit, trailing, quantity, value, processedMs: Date.now() };
};

const replace = (world: World, account: Account, target: Order, edited: Order): Verdict => {
  unrest(world, account, target);
  const order = rest(world, account, edited);
  record(world, account, 'edit', order);
  return took(order);
};
