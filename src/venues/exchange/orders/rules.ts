import type { Body } from '../../../contract/body.ts';
import type { components } from '../../../contract/types.ts';
import { compare, ofAmount } from '../../../kernel/decimals.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { coinOf, displayPair, isPerpetual, isSpotName } from '../../../kernel/exchange-names.ts';
import { DEFAULT_SLIPPAGE } from '../../../kernel/grid.ts';

type Request = Body<'submitExvenueOrder'>;

/** What a request asks for, beside the caller's id: a member of the contract that is forgotten where this is demanded does not compile. */
export type EachMember<Request> = Record<Exclude<keyof Request, 'client_order_id'>, unknown>;
type Complete<Terms extends EachMember<Request>> = Terms;

/** A submitted exchange order, with amounts as canonical decimals. */
export type ExchangeTerms = Complete<{
  pair: string;
  side: 'long' | 'short';
  size: string;
  size_in_usd: boolean;
  order_type: 'market' | 'limit';
  price: string | null;
  time_in_force: 'gtc' | 'ioc' | 'alo';
  reduce_only: boolean;
  take_profit: string | null;
  stop_loss: string | null;
  leverage: number | null;
  is_cross: boolean | null;
  max_slippage: string;
}>;

/** How long an order rests at the exchange: one at the market never does. */
export const timeInForceOf = ({ order_type, time_in_force }: Pick<ExchangeTerms, 'order_type' | 'time_in_force'>) =>
  order_type === 'limit' ? time_in_force : 'ioc';

/** The trigger prices of the exits of a position; null for an exit that is not requested. */
export type ExitPrices = Pick<ExchangeTerms, 'take_profit' | 'stop_loss'>;

/** An exit: take-profit or stop-loss. */
export type Leg = 'tp' | 'sl';

/** What requests and events call the exits. */
export const EXIT_NAMES = { tp: 'take_profit', sl: 'stop_loss' } as const satisfies Record<Leg, string>;

/** What the exchange did with an order. It is stored beside the terms. */
export type ExecutionReport = Pick<
  components['schemas']['Order'],
  | 'ex_order_id'
  | 'status'
  | 'filled_size'
  | 'fill_price'
  | 'tp_order_id'
  | 'sl_order_id'
  | 'trigger_status'
  | 'trigger_error'
> & { size: string | null; limit_price: string | null };

/**
 * The terms of a submitted order, with defaults filled in. Throws V1_PAIR_UNKNOWN, and V1_PRICES_INVALID for exits of an
 * order that only reduces: they would be on the side that adds to the position.
 */
export function exchangeTerms(order: Request): ExchangeTerms {
  const terms = termsOf(order);
  if (order.reduce_only && legsOf(terms).length > 0)
    throw new ApiError('V1_PRICES_INVALID', { message: 'A reduce-only order has no exits.', effect: 'none' });
  return terms;
}

const termsOf = (order: Request): ExchangeTerms => ({
  pair: perpetualOf(order.pair),
  side: order.side,
  size: ofAmount(order.size),
  size_in_usd: order.size_in_usd,
  order_type: order.order_type,
  price: optionalDecimal(order.price),
  time_in_force: order.time_in_force ?? 'gtc',
  reduce_only: order.reduce_only,
  take_profit: optionalDecimal(order.take_profit),
  stop_loss: optionalDecimal(order.stop_loss),
  leverage: order.leverage ?? null,
  is_cross: order.is_cross ?? null,
  max_slippage: order.max_slippage === undefined ? DEFAULT_SLIPPAGE : ofAmount(order.max_slippage),
});

/** The shown name of a perpetual in any accepted spelling. Throws V1_PAIR_UNKNOWN for names of spot pairs and outcomes. */
export function perpetualOf(pair: string): string {
  const coin = coinOf(pair);
  if (isSpotName(pair) || !isPerpetual(coin)) throw new ApiError('V1_PAIR_UNKNOWN', { effect: 'none' });
  return displayPair(coin);
}

/** An optional amount of a request; null if it is absent. */
export const optionalDecimal = (amount: number | string | undefined) =>
  amount === undefined ? null : ofAmount(amount);

/**
 * Why exit prices are invalid, or null. A long position requires stop-loss < mark < take-profit, a short one the
 * reverse. For a limit order its own price stands for the mark.
 */
export function misplacedExit(
  { take_profit, stop_loss }: ExitPrices,
  position: 'long' | 'short',
  mark: string,
): string | null {
  const beyond = (price: string) => compare(price, mark) * (position === 'long' ? 1 : -1) > 0;
  if (take_profit !== null && !beyond(take_profit)) return 'take_profit is on the wrong side of the market.';
  if (stop_loss !== null && (beyond(stop_loss) || compare(stop_loss, mark) === 0)) {
    return 'stop_loss is on the wrong side of the market.';
  }
  return null;
}

/** The requested exits, in the order of sending. */
export const legsOf = ({ take_profit, stop_loss }: ExitPrices): Leg[] => [
  ...(take_profit === null ? [] : ['tp' as const]),
  ...(stop_loss === null ? [] : ['sl' as const]),
];
