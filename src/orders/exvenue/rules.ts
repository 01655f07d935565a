import type { components } from '../../contract/types.ts';
import { canonical, compare, isDecimal } from '../../kernel/decimals.ts';
import { digest } from '../../kernel/digest.ts';

type Request = components['schemas']['SubmitOrderRequest'];

/** An exchange order as it was asked, its amounts as canonical decimals. */
export type ExchangeTerms = {
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
  is_cross: boolean;
  max_slippage: string;
};

/** What the exchange told of an order, as it is kept beside its terms. */
export type Told = Pick<
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

const DEFAULT_SLIPPAGE = '0.05'; // the venue's own default for market orders

/** What a submission asks for, defaults filled in. */
export const exchangeTerms = (order: Request): ExchangeTerms => ({
  pair: displayPair(coinOf(order.pair)),
  side: order.side,
  size: decimal(order.size),
  size_in_usd: order.size_in_usd,
  order_type: order.order_type,
  price: optional(order.price),
  time_in_force: order.time_in_force,
  reduce_only: order.reduce_only,
  take_profit: optional(order.take_profit),
  stop_loss: optional(order.stop_loss),
  leverage: order.leverage ?? null,
  is_cross: order.is_cross,
  max_slippage: order.max_slippage === undefined ? DEFAULT_SLIPPAGE : decimal(order.max_slippage),
});

/** A number or decimal text of a request as a canonical decimal. Numbers are taken by their shortest spelling. */
export function decimal(amount: number | string): string {
  const text = String(amount);
  return isDecimal(text) ? canonical(text) : canonical(Number(amount).toFixed(LAST_DECIMAL));
}

const LAST_DECIMAL = 12; // numbers that JSON spells with an exponent: below a millionth of a cent nothing is traded

const optional = (amount: number | string | undefined) => (amount === undefined ? null : decimal(amount));

/** The venue's coin of any accepted spelling of a pair: BTC-USDC, BTC/USD, BTCUSD, BTC. Case matters (kPEPE). */
export const coinOf = (pair: string): string => pair.replace(/(?<=.)[-/_]?USDC?$/, '');

/** How a coin is shown as a pair. */
export const displayPair = (coin: string): string => `${coin}-USDC`;

/** The exchange's 128-bit client order id of an intent. */
export const cloidOf = (intentId: string): string => `0x${intentId.replaceAll('-', '')}`;

/** The client order id of an exit that belongs to an intent's order: the same every time, and nobody else's. */
export const legCloid = (intentId: string, leg: 'tp' | 'sl'): string =>
  `0x${digest(`${intentId}:${leg}`).toString('hex').slice(0, 32)}`;

/** The intent id that a client order id spells, if it is one. */
export const intentIdOf = (cloid: string): string =>
  cloid.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** Why exits would not fit around the market: for a long position stop-loss < mark < take-profit, for a short one the reverse. */
export function misplacedExit(
  { take_profit, stop_loss }: Pick<ExchangeTerms, 'take_profit' | 'stop_loss'>,
  position: 'long' | 'short',
  mark: string,
): string | null {
  const beyond = (price: string) => compare(price, mark) * (position === 'long' ? 1 : -1) > 0;
  if (take_profit !== null && !beyond(take_profit)) return 'take_profit lies on the wrong side of the market.';
  if (stop_loss !== null && (beyond(stop_loss) || compare(stop_loss, mark) === 0)) {
    return 'stop_loss lies on the wrong side of the market.';
  }
  return null;
}

/** Which exits are asked for, in the order they are sent. */
export const legsOf = ({
  take_profit,
  stop_loss,
}: Pick<ExchangeTerms, 'take_profit' | 'stop_loss'>): ('tp' | 'sl')[] => [
  ...(take_profit === null ? [] : ['tp' as const]),
  ...(stop_loss === null ? [] : ['sl' as const]),
];
