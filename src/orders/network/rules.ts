import type { Body } from '../../contract/body.ts';
import type { components } from '../../contract/types.ts';

type OrderRequest = Body<'submitNetvenueOrder'>;
type EditRequest = components['schemas']['VantaEditOrderRequest'];

/** The current terms of a network order: as placed, with every accepted edit. */
export type Terms = Omit<OrderRequest, 'order_uuid'>;

const SIZES = ['leverage', 'value', 'quantity'] as const;

/**
 * The terms of a placement, with a default trigger direction: a LONG waits for the price to rise, a SHORT for it to
 * fall.
 */
export function termsOf({ order_uuid: _, ...order }: OrderRequest): Terms {
  if (order.execution_type !== 'STOP_LIMIT' || order.stop_condition) return order;
  return { ...order, stop_condition: order.order_type === 'LONG' ? 'GTE' : 'LTE' };
}

/**
 * The whole order after an edit. Absent members keep their value. A new size replaces the old one, even of another
 * kind.
 */
export function editedTerms(terms: Terms, { trade_pair: _, ...changes }: EditRequest): Terms {
  const resized = SIZES.some((size) => changes[size] !== undefined);
  const unchanged = resized ? Object.fromEntries(Object.entries(terms).filter(([name]) => !isSize(name))) : terms;
  return { ...(unchanged as Terms), ...changes };
}

const isSize = (name: string): boolean => SIZES.some((size) => size === name);

/** The size of an order or protection, if it has one. */
export const sizeOf = (sized: { leverage?: number; value?: number; quantity?: number }): number | undefined =>
  sized.leverage ?? sized.value ?? sized.quantity;

/** Why the prices of an order are inconsistent, or null. Placements and edits use the same rules. */
export function findInconsistency({
  order_type,
  limit_price,
  stop_loss,
  take_profit,
  trailing_stop,
}: Terms): string | null {
  if (limit_price === undefined || order_type === 'FLAT') return null;
  const sign = order_type === 'LONG' ? 1 : -1;
  if (stop_loss !== undefined && !trailing_stop && sign * (limit_price - stop_loss) <= 0) {
    return 'stop_loss is on the wrong side of limit_price.';
  }
  if (take_profit !== undefined && sign * (take_profit - limit_price) <= 0) {
    return 'take_profit is on the wrong side of limit_price.';
  }
  return null;
}

/** What became of the exits that an order carried. `error`: why they failed. */
export type Protection = { state: 'none' | 'placed' | 'failed'; error: string | null };

/** Of a verb that carries no exits. */
export const NO_PROTECTION: Protection = { state: 'none', error: null };

/** Of exits that the venue accepted. */
export const PLACED: Protection = { state: 'placed', error: null };

/** The exits among an order's terms, and its type. */
export type Exits = Partial<Pick<Terms, (typeof EXITS)[number]>> & { execution_type?: string };

const EXITS = ['stop_loss', 'take_profit', 'trailing_stop', 'bracket_orders'] as const;

/** Whether an order carries exits of its own. */
export const carriesExits = (order: Exits): boolean =>
  order.execution_type !== 'BRACKET' && EXITS.some((exit) => order[exit] !== undefined);

/** The protection of an order that the venue accepted without an objection: its exits rest, or wait for its fill. */
export const protectionWhenAccepted = (order: Exits): Protection =>
  order.execution_type === 'BRACKET' || carriesExits(order) ? PLACED : NO_PROTECTION;

/** Whether an order has ended according to our records. An order whose placement is in doubt may still rest. */
export const isOver = ({ lifecycle, placement }: { lifecycle: string | null; placement: string }): boolean =>
  lifecycle === 'filled' || lifecycle === 'cancelled' || placement === 'failed' || placement === 'expired';

/** Whether a placement is not settled yet, by the state of its intent. */
export const isOpen = (placement: string): boolean =>
  placement === 'queued' || placement === 'running' || placement === 'in_doubt';

/** Whether an order of this type rests at the venue instead of being executed at once. */
export const rests = ({ execution_type }: Pick<Terms, 'execution_type'>): boolean => execution_type !== 'MARKET';

/** Whether two names denote the same pair: dashboards use BTC/USDC, orders BTCUSDC. Case-sensitive (kPEPE). */
export const samePair = (a: string, b: string): boolean => bare(a) === bare(b);

const bare = (pair: string) => pair.replace(/[^A-Za-z0-9]/g, '');
