import type { Call, Handler } from '../../../contract/handler.ts';
import { dexOf } from '../../../kernel/exchange-names.ts';
import { isUuid } from '../../../kernel/ids.ts';
import type { Fill } from '../../../venues/exchange/adapter/types.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { provenPositions } from '../positions/network.ts';
import { foundOrNull, getTrader, type NetworkTrader, requireFound, type Trader, type TraderDeps } from '../traders.ts';
import * as exchange from './exchange.ts';
import { closedPositions } from './network.ts';
import { filledOrders } from './network-orders.ts';
import { historyPage, type Span, spanOf } from './pages.ts';
import { listPlacedOrders } from './queries.ts';

type Deps = TraderDeps & { reads: VenueReads };

type AnyCall = Call<'listClosedPositions', Deps> | Call<'listFilledOrders', Deps>;

/** Lists a trader's closed positions, newest first. */
export const listClosedPositions: Handler<'listClosedPositions', Deps> = async (call) => {
  const span = spanOf(call.query);
  const trader = await getTrader(call);
  const closed =
    trader.venue === 'netvenue' ? networkPositions(call, trader, span) : exchangePositions(call, trader, span);
  return historyPage('/v1/history/positions', call.query, await closed);
};

/** Lists a trader's filled orders, newest first. */
export const listFilledOrders: Handler<'listFilledOrders', Deps> = async (call) => {
  const span = spanOf(call.query);
  const trader = await getTrader(call);
  const filled = trader.venue === 'netvenue' ? networkOrders(call, trader, span) : exchangeOrders(call, trader, span);
  return historyPage('/v1/history/orders', call.query, await filled);
};

async function networkPositions({ deps: { reads }, query }: AnyCall, { hotkey }: NetworkTrader, span: Span) {
  const dashboard = requireFound(await reads.dashboard(hotkey));
  const positions = await provenPositions(dashboard, () => reads.networkOrders(hotkey));
  return closedPositions(dashboard, positions, span, query.pair);
}

async function networkOrders({ deps, principal, query }: AnyCall, { hotkey }: NetworkTrader, span: Span) {
  const filled = foundOrNull(await deps.reads.networkOrders(hotkey))?.filled ?? [];
  const ids = filled.map(({ uuid }) => uuid).filter(isUuid);
  const placedOrders = await listPlacedOrders(deps.db, principal.owner, 'netvenue', ids);
  return filledOrders(filled, placedOrders, span, query.pair);
}

/** How far before a span fills are read, to find the opening of positions that were closed within the span. */
const HISTORY_SPAN_MS = 30 * 86_400_000;

async function exchangePositions({ deps, query }: AnyCall, trader: Trader, { fromMs, toMs }: Span) {
  const all = await readFills(deps, trader, { fromMs: Math.max(0, fromMs - HISTORY_SPAN_MS), toMs });
  const fills = exchange.fillsOf(all, query.pair);
  return exchange.closedPositions(fills, { fromMs, toMs }, await readLots(deps.reads, fills));
}

/** The decimals of the sizes of every coin on the dexes of the fills. */
async function readLots(reads: VenueReads, fills: Fill[]): Promise<Map<string, number>> {
  const dexes = [...new Set(fills.map(({ coin }) => dexOf(coin)))];
  const assets = await Promise.all(dexes.map(async (dex) => foundOrNull(await reads.exchangeAssets(dex)) ?? []));
  return new Map(assets.flat().map(({ coin, sizeDecimals }) => [coin, sizeDecimals]));
}

async function exchangeOrders({ deps, principal, query }: AnyCall, trader: Trader, span: Span) {
  const fills = exchange.fillsOf(await readFills(deps, trader, span), query.pair);
  const ids = fills.flatMap(({ cloid }) => (cloid === null ? [] : exchange.intentIdOf(cloid)));
  const unnamed = fills.flatMap(({ cloid, oid }) => (cloid === null ? String(oid) : []));
  const [known, numbers] = [[...new Set(ids)], [...new Set(unnamed)]];
  const placedOrders = await listPlacedOrders(deps.db, principal.owner, 'exvenue', known, numbers);
  return exchange.filledOrders(fills, placedOrders, span);
}

const readFills = async ({ reads }: Deps, trader: Trader, span: Span) =>
  trader.venue === 'exvenue' ? requireFound(await reads.fills({ wallet: trader.wallet, ...span })) : [];
