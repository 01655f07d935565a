import type { components } from '../../../contract/types.ts';
import { ofNumber } from '../../../kernel/decimals.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { ReadResult } from '../../../kernel/upstream-result.ts';
import { requireValue } from '../../found.ts';
import type { Dashboard, DashboardOrder, DashboardPosition, OrderBook } from '../adapter/types.ts';
import { shownPair } from './names.ts';

type Position = components['schemas']['Position'];

const PLACES = 8;

/** Every position of a dashboard, open and closed. Throws VENUE_UNREADABLE if it does not prove which there are. */
export async function provenPositions(
  dashboard: Dashboard,
  book: () => Promise<ReadResult<OrderBook>>,
): Promise<DashboardPosition[]> {
  if (await areProven(dashboard, book)) return dashboard.positions;
  throw new ApiError('VENUE_UNREADABLE');
}

/**
 * Whether a dashboard shows every position. One without its positions section belongs to an account without positions, or failed inside the
 * validator. Then only a book without fills proves that there are none.
 */
export async function areProven(
  { reported, positions }: Dashboard,
  book: () => Promise<ReadResult<OrderBook>>,
): Promise<boolean> {
  if (reported.positions || positions.length > 0) return reported.positions;
  const orders = await book();
  return orders.kind === 'absent' || (orders.kind === 'found' && orders.data.filled.length === 0);
}

/** Whether a position is open. */
export const isOpen = ({ closeMs, side }: DashboardPosition): boolean => closeMs === null && side !== 'FLAT';

/** An open position in the shape of the contract. Its exits come from the bracket orders that rest on its pair. */
export function shownPosition(position: DashboardPosition, { money, accountSize, openOrders }: Dashboard): Position {
  const size = requireValue(openSize(position));
  const unrealized = position.unrealizedPnl ?? unrealizedFrom(position, accountSize);
  return {
    ...namesOf(position),
    side: position.side === 'SHORT' ? 'short' : 'long',
    position_type: position.side === 'SHORT' ? 'SHORT' : 'LONG',
    size: ofNumber(size, PLACES),
    position_value: ofNumber(worthOf(position, money?.balance ?? accountSize), PLACES),
    entry_price: ofNumber(requireValue(position.averageEntryPrice)),
    mark_price: markPrice(position, size),
    liquidation_price: null,
    unrealized_pnl: ofNumber(requireValue(unrealized), PLACES),
    ...protectionOf(position, size, [
      ...openOrders.filter((order) => isBracketOn(order, position.tradePair)),
      ...position.unfilledOrders,
    ]),
    open_time: timeOf(position.openMs),
    net_leverage: position.netLeverage === null ? null : ofNumber(position.netLeverage, PLACES),
    current_return: returnOf(position),
    fees: position.feesTotal === null ? null : ofNumber(position.feesTotal, PLACES),
  };
}

/** The return of a position, 1 at its entry; null if the network does not report it. */
export const returnOf = ({ returnNow }: DashboardPosition): string | null =>
  returnNow === null ? null : ofNumber(returnNow, PLACES);

/** The id and pair names of a position. */
export const namesOf = ({ uuid, tradePair }: DashboardPosition) => ({
  symbol: shownPair(tradePair),
  position_uuid: uuid,
  trade_pair: tradePair,
});

/** A part of a size that floating-point numbers may lack. */
const RESIDUE = 1e-9;

/**
 * The prices of the exits that cover a whole position, of several the one that is reached first. An exit whose size the network does not report
 * covers all of it.
 */
function protectionOf({ side }: DashboardPosition, size: number, exits: DashboardOrder[]) {
  const legOf = (leg: 'takeProfit' | 'stopLoss'): string | null => {
    const ofLeg = exits.flatMap((exit) => (exit[leg] === null ? [] : [{ price: exit[leg], quantity: exit.quantity }]));
    const covered = ofLeg.reduce((sum, { quantity }) => sum + Math.abs(quantity || size), 0);
    if (ofLeg.length === 0 || covered < size * (1 - RESIDUE)) return null;
    const prices = ofLeg.map(({ price }) => price);
    const isLowestFirst = (leg === 'takeProfit') !== (side === 'SHORT');
    return ofNumber(isLowestFirst ? Math.min(...prices) : Math.max(...prices));
  };
  return { take_profit: legOf('takeProfit'), stop_loss: legOf('stopLoss') };
}

/** The first take-profit and the first stop-loss among orders. */
export const exitsOf = (orders: Pick<DashboardOrder, 'takeProfit' | 'stopLoss'>[]) => ({
  take_profit: maybe(orders.find(({ takeProfit }) => takeProfit !== null)?.takeProfit),
  stop_loss: maybe(orders.find(({ stopLoss }) => stopLoss !== null)?.stopLoss),
});

/** An epoch time in milliseconds as ISO-8601. */
export const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/**
 * The signed quantity of an order, from value and price if the venue reports no quantity; null if neither is known. Of a FLAT order the value
 * has the sign: it sells what a long position holds, and buys what a short one owes.
 */
export function quantityOf({ quantity, value, price, orderType }: DashboardOrder): number | null {
  if (quantity !== null) return quantity;
  if (value === null || !price) return null;
  const isSale = orderType === 'FLAT' ? value < 0 : orderType === 'SHORT';
  return (Math.abs(value) / price) * (isSale ? -1 : 1);
}

const maybe = (value: number | null | undefined) => (value === null || value === undefined ? null : ofNumber(value));

function openSize({ netQuantity, filledOrders }: DashboardPosition): number | null {
  if (netQuantity !== null) return Math.abs(netQuantity) || null; // an open one has a size
  const quantities = filledOrders.map(quantityOf);
  if (quantities.length === 0 || quantities.some((quantity) => quantity === null)) return null;
  return Math.abs(quantities.reduce((sum: number, quantity) => sum + Number(quantity), 0)) || null;
}

/**
 * The absolute value of a position. Builds that do not report it give its leverage alone, which is about a multiple of the balance. See
 * venues/network-validator.md#dashboard.
 */
function worthOf({ netValue, netLeverage }: DashboardPosition, balance: number | null): number {
  return Math.abs(netValue ?? requireValue(netLeverage) * requireValue(balance));
}

/** Older builds report no unrealized gain, but the return relative to the account size. */
function unrealizedFrom({ returnNow, realizedPnl }: DashboardPosition, accountSize: number | null): number | null {
  return returnNow === null || accountSize === null ? null : (returnNow - 1) * accountSize - (realizedPnl ?? 0);
}

/**
 * The mark price that follows from the unrealized gain; only for pairs in which one unit is one coin quoted in USDC.
 */
function markPrice(
  { tradePair, side, averageEntryPrice, unrealizedPnl }: DashboardPosition,
  size: number,
): string | null {
  if (!tradePair.endsWith('USDC') || averageEntryPrice === null || unrealizedPnl === null || size === 0) return null;
  const moved = (unrealizedPnl / size) * (side === 'SHORT' ? -1 : 1);
  return ofNumber(averageEntryPrice + moved, PLACES);
}

const isBracketOn = ({ executionType, tradePair }: DashboardOrder, pair: string) =>
  executionType === 'BRACKET' && tradePair === pair;
