import type { Dashboard, DashboardOrder, DashboardPosition, OrderBook } from '../../adapters/netvenue/types.ts';
import type { components } from '../../contract/types.ts';
import type { Lookup } from '../../kernel/answer.ts';
import { ofNumber } from '../../kernel/decimals.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { shownPair } from '../rules.ts';
import { known } from '../traders.ts';

type Position = components['schemas']['Position'];

const PLACES = 8;

/**
 * Every position of a dashboard, open and closed. One that came without its section may be of an account without any, or may
 * have failed inside the validator: then only a book without executions proves that there is none. Refuses else.
 */
export async function provenPositions(
  dashboard: Dashboard,
  book: () => Promise<Lookup<OrderBook>>,
): Promise<DashboardPosition[]> {
  if (dashboard.reported.positions) return dashboard.positions;
  const orders = await book();
  if (orders.kind === 'absent') return [];
  if (orders.kind === 'found' && orders.said.filled.length === 0) return [];
  throw new Refusal('VENUE_UNREADABLE');
}

/** Whether a position is still held. */
export const isOpen = ({ closeMs, side }: DashboardPosition): boolean => closeMs === null && side !== 'FLAT';

/** An open position as it is shown; its exits are those of the bracket orders that rest on its pair. */
export function shownPosition(position: DashboardPosition, { money, accountSize, openOrders }: Dashboard): Position {
  const size = known(heldSize(position));
  const unrealized = position.unrealizedPnl ?? unrealizedFrom(position, accountSize);
  return {
    ...namesOf(position),
    side: position.side === 'SHORT' ? 'short' : 'long',
    size: ofNumber(size, PLACES),
    position_value: ofNumber(worthOf(position, money?.balance ?? accountSize), PLACES),
    entry_price: ofNumber(known(position.averageEntryPrice)),
    mark_price: markPrice(position, size),
    liquidation_price: null,
    unrealized_pnl: ofNumber(known(unrealized), PLACES),
    ...exitsOf([...openOrders.filter((order) => isBracketOn(order, position.tradePair)), ...position.unfilledOrders]),
    open_time: timeOf(position.openMs),
    net_leverage: position.netLeverage === null ? null : ofNumber(position.netLeverage, PLACES),
    fees: position.feesTotal === null ? null : ofNumber(position.feesTotal, PLACES),
  };
}

/** How a position and its pair are called. */
export const namesOf = ({ uuid, tradePair }: DashboardPosition) => ({
  symbol: shownPair(tradePair),
  position_uuid: uuid,
  trade_pair: tradePair,
});

/** The first take-profit and the first stop-loss among orders. */
export const exitsOf = (orders: Pick<DashboardOrder, 'takeProfit' | 'stopLoss'>[]) => ({
  take_profit: maybe(orders.find(({ takeProfit }) => takeProfit !== null)?.takeProfit),
  stop_loss: maybe(orders.find(({ stopLoss }) => stopLoss !== null)?.stopLoss),
});

/** A moment as it is shown. */
export const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** How much of its pair an order moved, signed. Where the venue shows no quantity, its value and price tell it. */
export function quantityOf({ quantity, value, price, orderType }: DashboardOrder): number | null {
  if (quantity !== null) return quantity;
  if (value === null || !price) return null;
  return (Math.abs(value) / price) * (orderType === 'SHORT' ? -1 : 1);
}

const maybe = (value: number | null | undefined) => (value === null || value === undefined ? null : ofNumber(value));

function heldSize({ netQuantity, filledOrders }: DashboardPosition): number | null {
  if (netQuantity !== null) return Math.abs(netQuantity);
  const quantities = filledOrders.map(quantityOf);
  if (quantities.length === 0 || quantities.some((quantity) => quantity === null)) return null;
  return Math.abs(quantities.reduce((sum: number, quantity) => sum + Number(quantity), 0));
}

/** Leverage is a multiple of the balance. Venue facts: submit-order. */
function worthOf({ netValue, netLeverage }: DashboardPosition, balance: number | null): number {
  return Math.abs(netValue ?? known(netLeverage) * known(balance));
}

/** Older builds show no unrealized gain, but the return of the account's size. */
function unrealizedFrom({ returnNow, realizedPnl }: DashboardPosition, accountSize: number | null): number | null {
  return returnNow === null || accountSize === null ? null : (returnNow - 1) * accountSize - (realizedPnl ?? 0);
}

/** What the unrealized gain says of the price; only where one unit is one coin and gains are in its quote. */
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
