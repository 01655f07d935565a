import type { Call, Handler } from '../../edge/handler.ts';
import { isUuid } from '../../kernel/ids.ts';
import { provenPositions } from '../positions/network.ts';
import { listPlacedOrders } from '../queries.ts';
import { foundOrNull, getTrader, must, type NetworkTrader, type Trader } from '../traders.ts';
import * as exchange from './exchange.ts';
import { closedPositions } from './network.ts';
import { filledOrders } from './network-orders.ts';
import { pageOf, type Span, spanOf } from './pages.ts';

type AnyCall = Call<'listClosedPositions'> | Call<'listFilledOrders'>;

export const listClosedPositions: Handler<'listClosedPositions'> = async (call) => {
  const span = spanOf(call.query);
  const trader = await getTrader(call);
  const closed =
    trader.venue === 'netvenue' ? networkPositions(call, trader, span) : exchangePositions(call, trader, span);
  return { status: 200, ...pageOf('/v1/history/positions', call.query, await closed) };
};

export const listFilledOrders: Handler<'listFilledOrders'> = async (call) => {
  const span = spanOf(call.query);
  const trader = await getTrader(call);
  const filled = trader.venue === 'netvenue' ? networkOrders(call, trader, span) : exchangeOrders(call, trader, span);
  return { status: 200, ...pageOf('/v1/history/orders', call.query, await filled) };
};

async function networkPositions({ runtime: { reads }, query }: AnyCall, { hotkey }: NetworkTrader, span: Span) {
  const dashboard = must(await reads.dashboard(hotkey));
  const positions = await provenPositions(dashboard, () => reads.networkOrders(hotkey));
  return closedPositions(dashboard, positions, span, query.pair);
}

async function networkOrders({ runtime, principal, query }: AnyCall, { hotkey }: NetworkTrader, span: Span) {
  const filled = foundOrNull(await runtime.reads.networkOrders(hotkey))?.filled ?? [];
  const ids = filled.map(({ uuid }) => uuid).filter(isUuid);
  const own = await listPlacedOrders(runtime.db, principal.owner, 'netvenue', ids);
  return filledOrders(filled, own, span, query.pair);
}

/** How far before a span executions are read, so that what was opened before and closed within it is known from its start. */
const LOOK_BACK_MS = 30 * 86_400_000;

async function exchangePositions({ runtime, query }: AnyCall, trader: Trader, { fromMs, toMs }: Span) {
  const fills = await readFills(runtime, trader, { fromMs: Math.max(0, fromMs - LOOK_BACK_MS), toMs });
  return exchange.closedPositions(exchange.fillsOf(fills, query.pair), { fromMs, toMs });
}

async function exchangeOrders({ runtime, principal, query }: AnyCall, trader: Trader, span: Span) {
  const fills = exchange.fillsOf(await readFills(runtime, trader, span), query.pair);
  const ids = fills.flatMap(({ cloid }) => (cloid === null ? [] : exchange.intentIdOf(cloid)));
  const own = await listPlacedOrders(runtime.db, principal.owner, 'exvenue', [...new Set(ids)]);
  return exchange.filledOrders(fills, own, span);
}

const readFills = async ({ reads }: AnyCall['runtime'], trader: Trader, span: Span) =>
  trader.venue === 'exvenue' ? must(await reads.fills({ wallet: trader.wallet, ...span })) : [];
