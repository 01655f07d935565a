import { statusOf } from './accounts.ts';
import { drawdownView, moneyView } from './money.ts';
import type { Pair } from './pairs.ts';
import type { BracketRequest, Trailing } from './signal.ts';
import { type Account, balanceOf, type Order, type Position, type Style, worthOf } from './world.ts';

/** A subaccount as create-subaccount and the entity list return it. */
export const accountView = (account: Account) => ({
  subaccount_id: account.id,
  subaccount_uuid: account.uuid,
  synthetic_hotkey: account.hotkey,
  asset_class: account.assetClass,
  account_size: account.size,
  status: statusOf(account),
  created_at_ms: account.createdMs,
  eliminated_at_ms: account.elimination?.atMs ?? null,
  ...(account.exAddress && { hl_address: account.exAddress, payout_address: account.payoutAddress }),
});

/**
 * The v2 dashboard. Empty sections are omitted. Closed orders are returned only with a cursor.
 * See venues/network-validator.md#dashboard.
 */
export const dashboardView = (account: Account, sinceMs: { positions: number; orders: number }) => {
  const positions = [...account.closed, ...account.open.values()].filter(
    ({ orders }) => (orders.at(-1)?.processedMs ?? 0) > sinceMs.positions,
  );
  const open = [...account.resting.values()].filter(({ processedMs }) => processedMs > sinceMs.orders);
  const ended = sinceMs.orders === 0 ? [] : account.ended.filter(({ processedMs }) => processedMs > sinceMs.orders);
  return {
    subaccount_info: accountView(account),
    challenge_period: { bucket: account.bucket, start_time_ms: account.createdMs },
    drawdown: drawdownView(account),
    account_size_data: moneyView(account),
    ...(account.elimination && { elimination: eliminationView(account.elimination) }),
    ...(positions.length > 0 && { positions: positionsView(account, positions) }),
    ...(open.length + ended.length > 0 && { limit_orders: restingView(open, ended, sinceMs.orders) }),
  };
};

/** The orders of an account by state. Null if there are none. */
export const ordersView = (account: Account, wanted: string[]) => {
  const filled = [...account.closed, ...account.open.values()].flatMap(({ orders }) => orders);
  const groups = { unfilled: [...account.resting.values()], filled, cancelled: account.ended.filter(isListed) };
  const shown = Object.entries(groups).filter(([name]) => wanted.includes(name));
  const view = Object.fromEntries(shown.map(([name, orders]) => [name, orders.map(verboseOrder)]));
  return shown.some(([, orders]) => orders.length > 0) ? view : null;
};

/** `/orders` leaves out what an elimination cancelled. See venues/network-validator.md#order-source-codes. */
const isListed = ({ source }: Order): boolean => source !== 18;

/** The registry of pairs in its newer format. See venues/network-validator.md#pairs. */
export const pairsView = (pairs: Iterable<Pair>, style: Style) => {
  const all = [...pairs];
  const of = (state: Pair['state']) => all.filter((pair) => pair.state === state).map((pair) => pairView(pair, style));
  const [allowed, deprecated, disabled] = [of('allowed'), of('deprecated'), of('disabled')];
  const totals = {
    total_allowed: allowed.length,
    total_deprecated: deprecated.length,
    total_disabled: disabled.length,
  };
  return { allowed, deprecated, disabled, ...totals, timestamp: Date.now() };
};

/** The accepted order after clamping, as the miner returns it: JSON within JSON, or a Python dictionary as text. */
export const orderJson = (order: Order, style: Style): string =>
  style === '2026'
    ? `${printed(verboseOrder(order)).slice(0, -1)}, 'price_sources': [${order.price ? sourceOf(order.price) : ''}]}`
    : JSON.stringify(verboseOrder(order));

/** The source of a fill's price, as Python prints an object. See venues/network.md#responses. */
const sourceOf = (price: number): string =>
  `PriceSource(source='Sandbox_ws', timespan_ms=0, open=${price}, close=${price}, vwap=None, websocket=True, bid=${price}, ask=${price})`;

/** A value as Python prints it. */
const printed = (value: unknown): string => {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&')}'`;
  if (Array.isArray(value)) return `[${value.map(printed).join(', ')}]`;
  if (typeof value !== 'object') return String(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${printed(name)}: ${printed(member)}`)
    .join(', ')}}`;
};

const verboseOrder = (order: Order) => ({
  trade_pair_id: order.pair.id,
  trade_pair: [order.pair.id, order.pair.display],
  order_type: order.side,
  execution_type: order.execution,
  order_uuid: order.uuid,
  leverage: order.leverage,
  value: order.value,
  quantity: order.quantity,
  price: order.price,
  processed_ms: order.processedMs,
  src: order.source,
  limit_price: order.limitPrice,
  stop_price: order.stopPrice,
  stop_condition: order.stopCondition,
  stop_loss: order.stopLoss,
  take_profit: order.takeProfit,
  trailing_stop: order.trailing && trailingView(order.trailing, 'trailing_percent', 'trailing_value'),
  bracket_orders: order.brackets.length > 0 ? order.brackets.map(bracketView) : null,
  ...(order.bindingCap && { binding_cap: order.bindingCap }),
});

const bracketView = ({ size, stopLoss, takeProfit, trailing }: BracketRequest) => ({
  stop_loss: stopLoss,
  take_profit: takeProfit,
  ...(trailing && trailingView(trailing, 'trailing_percent', 'trailing_value')),
  ...(size && { [size.by]: size.amount }),
});

const compactOrder = (order: Order) => ({
  t: order.side,
  e: order.execution,
  p: order.processedMs,
  l: order.leverage,
  q: order.quantity,
  v: order.value,
  ...(order.price && { pr: order.price }),
  ...(order.limitPrice && { lp: order.limitPrice }),
  ...(order.stopLoss && { sl: order.stopLoss }),
  ...(order.takeProfit && { tk: order.takeProfit }),
  ...(order.trailing && { tsl: trailingView(order.trailing, 'pct', 'val') }),
  ...(order.stopPrice && { sp: order.stopPrice, cond: order.stopCondition }),
});

const trailingView = (trailing: Trailing, percent: string, value: string) =>
  'percent' in trailing ? { [percent]: trailing.percent } : { [value]: trailing.distance };

const positionsView = (account: Account, positions: Position[]) => ({
  positions: Object.fromEntries(positions.map((position) => [position.uuid, positionView(account, position)])),
  total_leverage:
    [...account.open.values()].reduce((sum, { pair, quantity }) => sum + Math.abs(worthOf(pair, quantity)), 0) /
    balanceOf(account),
  positions_time_ms: Math.max(...positions.map(({ orders }) => orders.at(-1)?.processedMs ?? 0)),
});

const positionView = (
  account: Account,
  { pair, side, openMs, closeMs, quantity, averageEntry, realized, orders }: Position,
) => {
  const unrealized = worthOf(pair, quantity, pair.price - averageEntry);
  return {
    tp: pair.display,
    t: quantity === 0 ? 'FLAT' : side,
    o: openMs,
    c: closeMs,
    r: 1 + (realized + unrealized) / account.size,
    rc: 1 + (realized + unrealized) / account.size,
    nl: worthOf(pair, quantity) / balanceOf(account),
    ...(quantity !== 0 && { nv: worthOf(pair, quantity) }),
    ap: averageEntry,
    rp: realized,
    up: unrealized,
    fo: Object.fromEntries(orders.map((order) => [order.uuid, compactOrder(order)])),
    fh: {},
  };
};

const restingView = (open: Order[], ended: Order[], sinceMs: number) => ({
  ...(open.length > 0 && {
    open_orders: Object.fromEntries(
      open.map((order) => [order.uuid, { ...compactOrder(order), tp: order.pair.display }]),
    ),
  }),
  ...(ended.length > 0 && { closed_orders: ended.map(({ uuid }) => uuid) }),
  limit_orders_time_ms: Math.max(sinceMs, ...[...open, ...ended].map(({ processedMs }) => processedMs)),
});

const eliminationView = ({ atMs, reason }: { atMs: number; reason: string }) => ({
  elimination_initiated_time_ms: atMs,
  reason,
  dd: 0.05,
});

const pairView = (pair: Pair, style: Style) => ({
  trade_pair_id: pair.id,
  trade_pair: pair.display,
  trade_pair_category: pair.category,
  trade_pair_source: pair.source,
  max_leverage: pair.maxLeverage,
  ...(pair.coin && { hl_coin: pair.coin }),
  [`${style === '2026' ? 'subaccount' : 'standard'}_positional_leverage_by_tier`]: { 1: pair.maxLeverage },
});
