import { checkSignal } from './checks.ts';
import { quantityOf } from './positions.ts';
import { cancel, rest, unrest } from './resting.ts';
import type { Asked, BracketAsked } from './signal.ts';
import { closePosition, restingOrder } from './trading.ts';
import {
  type Account,
  type Order,
  type Resting,
  record,
  refused,
  took,
  type Verdict,
  type World,
  worthOf,
} from './world.ts';

/** LIMIT_CANCEL of one uuid, a list, or `ALL`. One unknown uuid refuses the whole command. */
export const cancelOrders = (world: World, account: Account, { uuid }: Asked): Verdict => {
  const names = uuid === 'ALL' ? [...account.resting.keys()] : uuid.split(',');
  const orders = names.map((name) => account.resting.get(name));
  const missing = orders.indexOf(undefined);
  if (missing >= 0) return refused(`Limit order ${names[missing]} not found`);
  const found = orders.filter((order) => order !== undefined);
  for (const order of found) cancel(world, account, order);
  return took(found[0] ?? null);
};

/** LIMIT_EDIT: the whole order anew under its old uuid, or, with named bracket entries, those brackets. */
export const editOrder = (world: World, account: Account, asked: Asked): Verdict => {
  if (asked.brackets.some(({ uuid }) => uuid !== null)) return editBrackets(world, account, asked.brackets);
  const target = account.resting.get(asked.uuid);
  if (!target) return refused(`Cannot edit order: order ${asked.uuid} not found or not unfilled`);
  if (asked.pair !== target.pair.id) return refused('Cannot edit order: trade pair mismatch');
  const resubmitted = { ...asked, execution: target.execution };
  checkSignal(resubmitted, (pair) => world.pairs.has(pair));
  const edited =
    target.execution === 'BRACKET'
      ? withExits(target, asked, account)
      : restingOrder(account, target.pair, resubmitted);
  if (typeof edited === 'string') return refused(edited);
  return replace(world, account, target, edited);
};

/** FLAT_ALL: every position for `ALL`, else the named ones; names nobody holds are passed over in silence. */
export const flatten = (world: World, account: Account, { uuid }: Asked): Verdict => {
  const named = new Set(uuid.split(','));
  for (const position of [...account.open.values()]) {
    if (uuid !== 'ALL' && !named.has(position.uuid)) continue;
    closePosition(world, account, position.pair.id, { suffix: 'flat-all', source: 11, kind: 'flat_all' });
  }
  return took(null);
};

/** A named entry with prices changes that bracket, one without any cancels it. */
const editBrackets = (world: World, account: Account, entries: BracketAsked[]): Verdict => {
  const targets = entries.map((entry) => account.resting.get(entry.uuid ?? ''));
  if (targets.includes(undefined)) return refused('Cannot edit order: bracket order not found');
  for (const [index, entry] of entries.entries()) {
    const target = targets[index];
    if (!target) continue;
    if (hasExits(entry)) replace(world, account, target, withExits(target, entry, account));
    else cancel(world, account, target);
  }
  return took(targets[0] ?? null);
};

const hasExits = ({ stopLoss, takeProfit, trailing }: BracketAsked) => Boolean(stopLoss ?? takeProfit ?? trailing);

/** A bracket at other prices and, where the edit names one, another size. */
const withExits = (
  order: Resting,
  { stopLoss, takeProfit, trailing, size }: Pick<BracketAsked, 'stopLoss' | 'takeProfit' | 'trailing' | 'size'>,
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
