import type { components } from '../../../contract/types.ts';
import { newPause } from '../../../kernel/concurrency.ts';
import { compare, times } from '../../../kernel/decimals.ts';
import { coinOf, displayPair, intentIdOf, isPerpetual } from '../../../kernel/exchange-names.ts';
import { type Dated, isWithin, type Span } from '../../history.ts';
import type { PlacedOrder } from '../../queries.ts';
import type { Fill } from '../adapter/types.ts';
import { averagePriceOf, sizeOf } from '../filled.ts';
import { type RoundTrip, roundTrips } from './round-trips.ts';

type Schemas = components['schemas'];

/** The fills of perpetuals, of one pair if given. */
export const fillsOf = (fills: Fill[], pair: string | undefined): Fill[] =>
  fills.filter(({ coin }) => isPerpetual(coin) && (pair === undefined || coin === coinOf(pair)));

export { intentIdOf };

/** Positions closed within a span, computed from fills. `lots`: the decimals of a coin's sizes. */
export async function closedPositions(
  fills: Fill[],
  span: Span,
  lots: ReadonlyMap<string, number>,
): Promise<Dated<Schemas['ClosedPosition']>[]> {
  const pause = newPause();
  const closed: Dated<Schemas['ClosedPosition']>[] = [];
  for (const trip of await roundTrips(fills, lots)) {
    await pause();
    if (!isWithin(span, trip.closeMs)) continue;
    closed.push({ atMs: trip.closeMs, id: `${trip.coin}:${trip.closeId}`, entry: shownTrip(trip) });
  }
  return closed;
}

/** Orders whose last fill is in the span; `fills` are all of theirs. `placed`: orders placed through this service, by id and number. */
export async function filledOrders(
  fills: Fill[],
  placed: ReadonlyMap<string, PlacedOrder>,
  span: Span,
): Promise<Dated<Schemas['Order']>[]> {
  const pause = newPause();
  const filled: Dated<Schemas['Order']>[] = [];
  for (const all of Map.groupBy(fills, ({ oid }) => oid).values()) {
    await pause();
    const last = all.at(-1);
    if (!last || !isWithin(span, last.timeMs)) continue;
    const order = all
      .map(({ cloid, oid }) => placed.get(cloid === null ? String(oid) : intentIdOf(cloid)))
      .find((known) => known !== undefined);
    filled.push({ atMs: last.timeMs, id: String(last.oid), entry: shownOrder(all, last, order) });
  }
  return filled;
}

function shownTrip(trip: RoundTrip): Schemas['ClosedPosition'] {
  return {
    symbol: displayPair(trip.coin),
    side: trip.side,
    position_type: trip.side === 'short' ? 'SHORT' : 'LONG',
    size: trip.size,
    position_value: times(trip.size, trip.entryPrice),
    entry_price: trip.entryPrice,
    mark_price: null,
    liquidation_price: null,
    unrealized_pnl: '0',
    take_profit: null,
    stop_loss: null,
    open_time: trip.openMs === null ? null : new Date(trip.openMs).toISOString(),
    position_uuid: null,
    trade_pair: null,
    net_leverage: null,
    current_return: null,
    fees: trip.fees,
    realized_pnl: trip.realizedPnl,
    close_time: new Date(trip.closeMs).toISOString(),
    close_reason: trip.isLiquidation ? 'other' : null,
  };
}

function shownOrder(all: Fill[], { oid, coin, side, timeMs }: Fill, placed: PlacedOrder | undefined): Schemas['Order'] {
  const filled = sizeOf(all);
  const isPartial = placed?.whole_size != null && compare(filled, placed.whole_size) < 0;
  return {
    ex_order_id: String(oid),
    order_id: placed?.name ?? null,
    client_order_id: placed?.name ?? null,
    pair: displayPair(coin),
    side: side === 'buy' ? 'long' : 'short',
    size: placed?.size ?? filled,
    filled_size: filled,
    order_type: placed?.order_type === 'limit' ? 'limit' : 'market',
    status: isPartial ? (placed.status === 'cancelled' ? 'cancelled' : 'partial') : 'filled',
    fill_price: averagePriceOf(all),
    limit_price: placed?.order_type === 'limit' ? placed.limit_price : null,
    take_profit: placed?.take_profit ?? null,
    stop_loss: placed?.stop_loss ?? null,
    tp_order_id: placed?.tp_order_id ?? null,
    sl_order_id: placed?.sl_order_id ?? null,
    trigger_status: placed?.trigger_status ?? 'not_requested',
    trigger_error: placed?.trigger_error ?? null,
    created_at: placed?.created_at ?? new Date(all[0]?.timeMs ?? timeMs).toISOString(),
  };
}
