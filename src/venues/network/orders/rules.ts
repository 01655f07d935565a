import type { Body } from '../../../contract/body.ts';
import type { components } from '../../../contract/types.ts';

type OrderRequest = Body<'submitNetvenueOrder'>;
type EditRequest = components['schemas']['VantaEditOrderRequest'];

/** The current terms of a network order: as placed, with every accepted edit. */
export type Terms = Omit<OrderRequest, 'order_uuid'>;

const SIZES = ['leverage', 'value', 'quantity'] as const;
const EXITS = ['stop_loss', 'take_profit', 'trailing_stop'] as const;

/**
 * The terms of a placement, with a default trigger direction: a LONG waits for the price to rise, a SHORT for it to
 * fall.
 */
export function termsOf({ order_uuid: _, ...order }: OrderRequest): Terms {
  if (order.execution_type !== 'STOP_LIMIT' || order.stop_condition) return order;
  return { ...order, stop_condition: order.order_type === 'LONG' ? 'GTE' : 'LTE' };
}

/**
 * The whole order after an edit. Absent members keep their value. A new size replaces the old one, even of another kind,
 * and so do new exits those of the other kind: the network reads an order's entries alone.
 */
export function editedTerms(terms: Terms, { trade_pair: _, execution_type: __, ...changes }: EditRequest): Terms {
  const replaced = [
    ...(SIZES.some((size) => changes[size] !== undefined) ? SIZES : []),
    ...(changes.bracket_orders !== undefined ? EXITS : []),
    ...(EXITS.some((exit) => changes[exit] !== undefined) ? ['bracket_orders'] : []),
  ];
  const unchanged = Object.fromEntries(Object.entries(terms).filter(([name]) => !replaced.includes(name)));
  return { ...(unchanged as Terms), ...changes }; // as: sizes and exits are optional
}

/** Why an order of this type cannot have a member that an edit gives, or null. The venue would ignore it. */
export function findMisplaced(
  { execution_type }: Pick<Terms, 'execution_type'>,
  { limit_price, stop_price, stop_condition }: EditRequest,
): string | null {
  if (execution_type !== 'STOP_LIMIT' && (stop_price !== undefined || stop_condition !== undefined))
    return 'Only STOP_LIMIT orders have stop_price and stop_condition.';
  return execution_type === 'BRACKET' && limit_price !== undefined
    ? 'Only LIMIT and STOP_LIMIT orders have a limit_price.'
    : null;
}

/** The size of an order or protection, if it has one. */
export const sizeOf = (sized: { leverage?: number; value?: number; quantity?: number }): number | undefined =>
  sized.leverage ?? sized.value ?? sized.quantity;

type Prices = Pick<Terms, 'stop_loss' | 'take_profit'> & {
  order_type?: string;
  limit_price?: number;
  isTrailing: boolean;
};

/** Why the prices of an order are inconsistent, or null. Placements, edits and protections use the same rules. */
export function findInconsistency(terms: Exits & Pick<Partial<Terms>, 'order_type' | 'limit_price'>): string | null {
  const { order_type, limit_price } = terms;
  const at = { ...(order_type && { order_type }), ...(limit_price !== undefined && { limit_price }) };
  const entries = (terms.bracket_orders ?? []).map((entry) => ({
    ...pricesOf(entry),
    ...at,
    isTrailing: entry.trailing_percent !== undefined || entry.trailing_value !== undefined,
  }));
  const faults = [{ ...pricesOf(terms), ...at, isTrailing: terms.trailing_stop !== undefined }, ...entries].map(
    findFault,
  );
  return faults.find((fault) => fault !== null) ?? null;
}

const pricesOf = ({ stop_loss, take_profit }: Pick<Partial<Prices>, 'stop_loss' | 'take_profit'>) => ({
  ...(stop_loss !== undefined && { stop_loss }),
  ...(take_profit !== undefined && { take_profit }),
});

function findFault({ order_type, limit_price, stop_loss, take_profit, isTrailing }: Prices): string | null {
  if (stop_loss !== undefined && stop_loss === take_profit) return 'stop_loss and take_profit are the same price.';
  if (order_type === undefined || order_type === 'FLAT') return null;
  const sign = order_type === 'LONG' ? 1 : -1;
  if (limit_price !== undefined && stop_loss !== undefined && !isTrailing && sign * (limit_price - stop_loss) <= 0)
    return 'stop_loss is on the wrong side of limit_price.';
  if (limit_price !== undefined && take_profit !== undefined && sign * (take_profit - limit_price) <= 0)
    return 'take_profit is on the wrong side of limit_price.';
  return stop_loss !== undefined && take_profit !== undefined && !isTrailing && sign * (take_profit - stop_loss) <= 0
    ? 'stop_loss is on the wrong side of take_profit.'
    : null;
}

/** The state of the exits that an order carried. `error`: why they failed. */
export type Protection = { state: 'none' | 'placed' | 'failed'; error: string | null };

/** The protection of a verb that carries no exits. */
export const NO_PROTECTION: Protection = { state: 'none', error: null };

/** The protection of a verb whose exits the venue accepted. */
export const PLACED: Protection = { state: 'placed', error: null };

/** The exits among an order's terms, and its type. */
export type Exits = Partial<Pick<Terms, (typeof EXITS)[number] | 'bracket_orders'>> & {
  execution_type?: string;
};

/** Whether an order carries exits of its own. */
export const carriesExits = (order: Exits): boolean =>
  order.execution_type !== 'BRACKET' && [...EXITS, 'bracket_orders' as const].some((exit) => order[exit] !== undefined);

/** The protection of an order that the venue accepted without an objection: its exits rest, or wait for its fill. */
export const protectionWhenAccepted = (order: Exits): Protection =>
  order.execution_type === 'BRACKET' || carriesExits(order) ? PLACED : NO_PROTECTION;

/** Whether an order has ended according to our records. An order whose placement is in doubt may still rest. */
export const isOver = (order: { lifecycle: string | null; placement: string }): boolean =>
  order.lifecycle === 'filled' || order.lifecycle === 'cancelled' || wasNeverThere(order);

/** Whether the network never had an order, according to our records: its placement failed, or there was nothing to execute. */
export const wasNeverThere = ({ lifecycle, placement }: { lifecycle: string | null; placement: string }): boolean =>
  lifecycle === null && !isOpen(placement);

/** Whether a placement is not settled yet, by the state of its intent. */
export const isOpen = (placement: string): boolean =>
  placement === 'queued' || placement === 'running' || placement === 'in_doubt';

/** Whether an order of this type rests at the venue instead of being executed at once. */
export const rests = ({ execution_type }: Pick<Terms, 'execution_type'>): boolean => execution_type !== 'MARKET';

/** Whether two names denote the same pair: dashboards use BTC/USDC, orders BTCUSDC. Case-sensitive (kPEPE). */
export const samePair = (a: string, b: string): boolean => bare(a) === bare(b);

/** Whether two uuids are the same: the case of their digits does not distinguish them. */
export const sameUuid = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const bare = (pair: string) => pair.replace(/[^A-Za-z0-9]/g, '');

/** Whether an order may open or grow a position. The others close or protect one. */
export const opens = ({ order_type, execution_type }: Pick<Terms, 'order_type' | 'execution_type'>): boolean =>
  order_type !== 'FLAT' && execution_type !== 'BRACKET';
