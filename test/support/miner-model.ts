import type { Reply } from '../../src/adapters/http.ts';
import type { Signal } from '../../src/venues/network/adapter/signal-types.ts';
import type { Dashboard, DashboardOrder, OrderBook } from '../../src/venues/network/adapter/types.ts';

/** The order and the exits that the cases are about. */
export const UUID = '00000000-0000-4000-8000-000000000001';
export const EXIT = '00000000-0000-4000-8000-000000000002';

/** The network as its code is: what one attempt does to the state, and what it answers. Written from the facts, not from the service. */
export type State = {
  order: 'none' | 'resting' | 'edited' | 'filled' | 'cancelled' | 'edited and cancelled';
  fills: number;
  position: boolean;
  exit: 'none' | 'resting' | 'edited' | 'filled' | 'cancelled';
};
export type Verb = keyof typeof STARTS;
type Answer = { error: string | null; order?: object };

const COOLDOWN =
  'Order for trade pair [BTCUSDC] was placed too soon after the previous order. Please wait 3.0 seconds.';
const NOT_FOUND = `No unfilled limit orders found for e_1 (uuid=${UUID})`;

function attempt(verb: Verb, state: State, { cooldown, dedup }: { cooldown: boolean; dedup: boolean }): Answer {
  const rests = state.order === 'resting' || state.order === 'edited';
  switch (verb) {
    case 'market':
      if (dedup && state.fills > 0) return { error: `Order with uuid [${UUID}] has already been processed.` };
      if (cooldown && state.fills > 0) return { error: COOLDOWN };
      Object.assign(state, { order: 'filled', fills: state.fills + 1, position: true });
      return { error: null, order: { order_type: 'LONG', quantity: 1, price: 90 } };
    case 'market with bad exits':
      if (dedup && state.fills > 0) return { error: `Order with uuid [${UUID}] has already been processed.` };
      if (cooldown && state.fills > 0) return { error: COOLDOWN };
      Object.assign(state, { order: 'filled', fills: state.fills + 1, position: true });
      return { error: `Invalid LONG bracket order [${UUID}-bracket-0]: the exits must surround reference_price (90)` };
    case 'limit':
      if (rests) return { error: `Order with uuid [${UUID}] has already been processed.` };
      state.order = 'resting';
      return { error: null, order: { order_type: 'LONG', quantity: 1, price: 0 } };
    case 'limit in cooldown': // at a price that is reached; the cooldown is over before the next attempt
      if (state.order === 'filled') return { error: `Order with uuid [${UUID}] has already been processed.` };
      if (state.order === 'none') {
        state.order = 'cancelled';
        return { error: `Could not fill limit order [e_1] [BTCUSDC] [${UUID}]: ${COOLDOWN}. Cancelling order` };
      }
      Object.assign(state, { order: 'filled', fills: 1, position: true });
      return { error: null, order: { order_type: 'LONG', quantity: 1, price: 0 } };
    case 'cancel':
      if (!rests) return { error: NOT_FOUND };
      state.order = 'cancelled';
      return { error: null };
    case 'edit':
    case 'edit that fills':
      if (!rests) return { error: `Cannot edit order ${UUID}: order not found` };
      Object.assign(state, verb === 'edit' ? { order: 'edited' } : { order: 'filled', fills: 1, position: true });
      return { error: null, order: { order_type: 'LONG', quantity: 1, price: verb === 'edit' ? 0 : 91 } };
    case 'edit in cooldown':
      if (!rests) return { error: `Cannot edit order ${UUID}: order not found` };
      state.order = 'edited and cancelled';
      return { error: `Could not fill limit order [e_1] [BTCUSDC] [${UUID}]: ${COOLDOWN}. Cancelling order` };
    case 'close':
      if (state.position) Object.assign(state, { position: false, exit: 'cancelled' }); // without one it succeeds, and nothing happens
      return { error: null };
    case 'protect first':
      if (state.exit !== 'none') return { error: `Order with uuid [${EXIT}] has already been processed.` };
      if (!state.position) return { error: 'BRACKET order must have an open position' };
      state.exit = 'edited';
      return { error: null, order: { order_type: 'SHORT', quantity: 1, price: 0 } };
    case 'protect first in cooldown':
      if (state.exit === 'none') {
        state.exit = 'cancelled';
        return { error: `Could not fill limit order [e_1] [BTCUSDC] [${EXIT}]: ${COOLDOWN}. Cancelling order` };
      }
      if (!state.position) return { error: 'BRACKET order must have an open position' };
      Object.assign(state, { exit: 'filled', position: false });
      return { error: null, order: { order_type: 'SHORT', quantity: 1, price: 0 } };
    case 'protect':
      if (!state.position) return { error: 'BRACKET order must have an open position' };
      state.exit = 'edited';
      return { error: null };
    case 'protect that closes':
      if (!state.position) return { error: 'BRACKET order must have an open position' };
      Object.assign(state, { exit: 'filled', position: false });
      return { error: null };
    case 'protect in cooldown':
      state.exit = 'cancelled';
      return { error: `Could not fill limit order [e_1] [BTCUSDC] [${EXIT}]: ${COOLDOWN}. Cancelling order` };
  }
}

/** What the network has before each verb. */
export const STARTS = {
  market: { order: 'none', fills: 0, position: false, exit: 'none' },
  'market with bad exits': { order: 'none', fills: 0, position: false, exit: 'none' },
  limit: { order: 'none', fills: 0, position: false, exit: 'none' },
  'limit in cooldown': { order: 'none', fills: 0, position: false, exit: 'none' },
  cancel: { order: 'resting', fills: 0, position: false, exit: 'none' },
  edit: { order: 'resting', fills: 0, position: false, exit: 'none' },
  'edit that fills': { order: 'resting', fills: 0, position: false, exit: 'none' },
  'edit in cooldown': { order: 'resting', fills: 0, position: false, exit: 'none' },
  close: { order: 'none', fills: 0, position: true, exit: 'resting' },
  'protect first': { order: 'none', fills: 0, position: true, exit: 'none' },
  'protect first in cooldown': { order: 'none', fills: 0, position: true, exit: 'none' },
  protect: { order: 'none', fills: 0, position: true, exit: 'resting' },
  'protect that closes': { order: 'none', fills: 0, position: true, exit: 'resting' },
  'protect in cooldown': { order: 'none', fills: 0, position: true, exit: 'resting' },
} as const satisfies Record<string, State>;

/** What the miner does with one request: of each attempt, whether it reaches the validator and whether its answer comes back. */
export type Fate = 'answered' | 'refused for now' | 'never arrived' | 'answer lost' | 'market closed';
type Wire = 'arrives' | 'lost' | 'cut' | 'slow';
/**
 * One request and what becomes of it. `slow`: nobody waits for it any more, and it is looked up before its attempts begin and after
 * so many of them.
 */
export type Case = { verb: Verb; fates: Fate[]; wire: Wire; cooldown: boolean; dedup: boolean };

/** What comes back of one request, while its attempts change the state. */
export function playMiner({ verb, fates, wire, ...how }: Case, state: State, onAttempt = () => {}): Reply {
  const uuid = verb.startsWith('protect') ? EXIT : UUID;
  const pauses = (n: number) => 0.3 + 5 * n;
  for (const [n, fate] of fates.entries()) {
    onAttempt();
    const reaches = fate === 'answered' || fate === 'answer lost';
    const answer = reaches ? attempt(verb, state, how) : { error: 'market for BTCUSDC is currently closed' };
    if (fate === 'answered' || fate === 'market closed')
      return replyOf(answer, { uuid, processing_time: pauses(n), wire });
  }
  return replyOf({ error: 'Failed to connect to Vanta Network' }, { uuid, processing_time: pauses(2), wire });
}

function replyOf(
  { error, order }: Answer,
  { uuid, processing_time, wire }: { uuid: string; processing_time: number; wire: Wire },
): Reply {
  if (wire === 'lost' || wire === 'slow') return { kind: 'lost', why: 'ECONNRESET' };
  const text = JSON.stringify({
    success: error === null,
    order_uuid: uuid,
    order_json: order ? JSON.stringify(order) : null,
    error_message: error ?? '',
    processing_time,
    message: error === null ? 'Order successfully processed' : `Order failed on Vanta Network: ${error}`,
  });
  const status = error === null ? 200 : 400;
  return { kind: 'response', status, headers: {}, text: wire === 'cut' ? text.slice(0, text.length / 2) : text };
}

const NONE = ['leverage', 'value', 'stopPrice', 'stopCondition', 'takeProfit', 'trailingStop', 'source', 'price'];
const blank = { ...Object.fromEntries(NONE.map((name) => [name, null])), tradePair: 'BTCUSDC', orderType: 'LONG' };
const orderOf = (uuid: string, more: object): DashboardOrder =>
  ({
    ...blank,
    executionType: 'LIMIT',
    quantity: 1,
    limitPrice: 90,
    stopLoss: null,
    processedMs: 5,
    uuid,
    ...more,
  }) as DashboardOrder; // as: all members are above

/** Both complete records of a trader in this state. */
export function recordsOf(verb: Verb, state: State): { dashboard: Dashboard; book: OrderBook } {
  const isEdited = state.order.startsWith('edited') || (verb === 'edit that fills' && state.order === 'filled');
  const isMarket = verb.startsWith('market');
  const order = orderOf(UUID, {
    limitPrice: isEdited ? 91 : 90,
    ...(isMarket && { executionType: 'MARKET', limitPrice: null }),
  });
  const exit = orderOf(EXIT, {
    executionType: 'BRACKET',
    orderType: 'SHORT',
    stopLoss: state.exit === 'resting' ? 80 : 85,
    limitPrice: null,
  });
  const fills = Array.from({ length: state.fills }, (_, n) => ({ ...order, price: 90, processedMs: 10 + n }));
  const exitFill = { ...exit, price: 85, quantity: -1, processedMs: 30 };
  const book: OrderBook = {
    unfilled: [
      ...(state.order === 'resting' || state.order === 'edited' ? [order] : []),
      ...(state.exit === 'resting' || state.exit === 'edited' ? [exit] : []),
    ],
    filled: [orderOf('opening', { price: 90 }), ...fills, ...(state.exit === 'filled' ? [exitFill] : [])],
    cancelled: [...(state.order.endsWith('cancelled') ? [order] : []), ...(state.exit === 'cancelled' ? [exit] : [])],
  };
  const positions = [
    {
      uuid: 'p',
      tradePair: 'BTCUSDC',
      side: state.position ? 'LONG' : 'FLAT',
      closeMs: state.position ? null : 9,
      filledOrders: isMarket ? fills : [],
    },
  ];
  const dashboard = {
    status: 'active',
    positions,
    openOrders: book.unfilled,
    reported: { positions: true, orders: true },
    atMs: 1,
  };
  return { dashboard: dashboard as unknown as Dashboard, book }; // as: only members that are read here
}

/** What the service sends of each verb. */
export const signals: Record<Verb, Signal> = (() => {
  const common = { subaccount_id: 1, trade_pair: 'BTCUSDC', order_uuid: UUID, order_type: 'LONG' } as const;
  const limit = { ...common, execution_type: 'LIMIT', limit_price: 90, quantity: 1 } as const;
  const edited = { ...limit, execution_type: 'LIMIT_EDIT', limit_price: 91 } as const;
  const market = { ...common, execution_type: 'MARKET', quantity: 1 } as const;
  const exits = {
    ...common,
    execution_type: 'LIMIT_EDIT',
    order_type: 'FLAT',
    order_uuid: EXIT,
    bracket_orders: [{ order_uuid: EXIT, stop_loss: 85 }],
  } as const;
  const bracket = {
    ...common,
    order_type: 'FLAT',
    order_uuid: EXIT,
    execution_type: 'BRACKET',
    stop_loss: 85,
  } as const;
  return {
    market,
    'market with bad exits': { ...market, stop_loss: 95 },
    limit,
    'limit in cooldown': limit,
    cancel: { ...common, execution_type: 'LIMIT_CANCEL' },
    edit: edited,
    'edit that fills': edited,
    'edit in cooldown': edited,
    close: { subaccount_id: 1, trade_pair: 'BTCUSDC', order_uuid: 'p', execution_type: 'FLAT_ALL' },
    'protect first': bracket,
    'protect first in cooldown': bracket,
    protect: { ...exits, bracket_orders: [...exits.bracket_orders] },
    'protect that closes': { ...exits, bracket_orders: [...exits.bracket_orders] },
    'protect in cooldown': { ...exits, bracket_orders: [...exits.bracket_orders] },
  };
})();
