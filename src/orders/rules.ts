import type { components } from '../contract/types.ts';

type OrderRequest = components['schemas']['NetvenueOrderRequest'];
type EditRequest = components['schemas']['VantaEditOrderRequest'];

/** A network order as it stands: what was placed, with every accepted edit. */
export type Terms = Omit<OrderRequest, 'order_uuid'>;

const SIZES = ['leverage', 'value', 'quantity'] as const;

/** What a placement asks for, with the trigger's direction filled in: a LONG waits for the price to rise, a SHORT to fall. */
export function termsOf({ order_uuid: _, ...order }: OrderRequest): Terms {
  if (order.execution_type !== 'STOP_LIMIT' || order.stop_condition) return order;
  return { ...order, stop_condition: order.order_type === 'LONG' ? 'GTE' : 'LTE' };
}

/** The whole order after an edit. Members left out keep their value; a new size takes the place of the old one, of whatever kind. */
export function editedTerms(terms: Terms, { trade_pair: _, ...changes }: EditRequest): Terms {
  const resized = SIZES.some((size) => changes[size] !== undefined);
  const kept = resized ? Object.fromEntries(Object.entries(terms).filter(([name]) => !isSize(name))) : terms;
  return { ...(kept as Terms), ...changes };
}

const isSize = (name: string): boolean => SIZES.some((size) => size === name);

/** The one size an order or protection names, if any. */
export const sizeOf = (sized: { leverage?: number; value?: number; quantity?: number }): number | undefined =>
  sized.leverage ?? sized.value ?? sized.quantity;

/** Why an order would not fit together after an edit, by the same rules as a placement; null when it does. */
export function unfit({ order_type, limit_price, stop_loss, take_profit, trailing_stop }: Terms): string | null {
  if (limit_price === undefined || order_type === 'FLAT') return null;
  const sign = order_type === 'LONG' ? 1 : -1;
  if (stop_loss !== undefined && !trailing_stop && sign * (limit_price - stop_loss) <= 0) {
    return 'stop_loss lies on the wrong side of limit_price.';
  }
  if (take_profit !== undefined && sign * (take_profit - limit_price) <= 0) {
    return 'take_profit lies on the wrong side of limit_price.';
  }
  return null;
}

/** Whether our record says that an order can rest no longer. One whose placement is still in doubt may. */
export const isOver = ({ lifecycle, placement }: { lifecycle: string | null; placement: string }): boolean =>
  lifecycle === 'filled' || lifecycle === 'cancelled' || placement === 'failed' || placement === 'expired';

/** Whether it is still open what became of a placement, by its intent's state. */
export const isOpen = (placement: string): boolean =>
  placement === 'queued' || placement === 'running' || placement === 'in_doubt';

/** Whether an order of this kind waits at the venue instead of being executed at once. */
export const rests = ({ execution_type }: Pick<Terms, 'execution_type'>): boolean => execution_type !== 'MARKET';

/** Whether two spellings name one pair: dashboards write BTC/USDC where orders say BTCUSDC. Case matters (kPEPE). */
export const samePair = (a: string, b: string): boolean => bare(a) === bare(b);

const bare = (pair: string) => pair.replace(/[^A-Za-z0-9]/g, '');
