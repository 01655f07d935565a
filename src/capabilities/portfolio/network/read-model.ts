import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Hotkey, OwnerId } from '../../../kernel/ids.ts';
import type { ReadResult } from '../../../kernel/upstream-result.ts';
import type { Dashboard, OrderBook } from '../../../venues/network/adapter/types.ts';
import { findSubaccount } from '../../../venues/network/subaccounts/queries.ts';
import type { VenueReads } from '../../../venues/reads.ts';
import { networkAccount } from '../balance/account.ts';
import { readLimits } from '../balance/limits.ts';
import { closedPositions } from '../history/network.ts';
import { type HistoryQuery, historyPage, spanOf } from '../history/pages.ts';
import { isOpen, provenPositions, shownPosition } from '../positions/network.ts';
import { accountRules, exchangeRules, pairRules } from '../rules/list.ts';
import { readPairs } from '../rules/pairs.ts';
import { findDashboard, findLimits, type NetworkTrader, requireFound, type Trader } from '../traders.ts';

type Schemas = components['schemas'];

/**
 * A subaccount of an owner, as a trader for the reads below. Throws V1_TRADER_UNKNOWN if the owner has no such
 * subaccount.
 */
export async function getSubaccount(db: Db, owner: OwnerId, hotkey: Hotkey): Promise<NetworkTrader> {
  const subaccount = await findSubaccount(db, owner, hotkey);
  if (!subaccount) throw new ApiError('V1_TRADER_UNKNOWN');
  return { venue: 'netvenue', hotkey, subaccount };
}

/** The open positions of a subaccount, oldest first. Throws VENUE_UNREADABLE if the network cannot be read. */
export async function readOpenPositions(reads: VenueReads, hotkey: Hotkey): Promise<Schemas['Position'][]> {
  return openPositions(requireFound(await reads.dashboard(hotkey)), () => reads.networkOrders(hotkey));
}

/** What identifies an open position in its list. */
export const positionName = ({ position_uuid, symbol }: Schemas['Position']): string => position_uuid ?? symbol;

/** The open positions of a dashboard, oldest first. Throws VENUE_UNREADABLE if it does not prove which are open. */
export async function openPositions(
  dashboard: Dashboard,
  book: () => Promise<ReadResult<OrderBook>>,
): Promise<Schemas['Position'][]> {
  const positions = (await provenPositions(dashboard, book)).filter(isOpen);
  positions.sort((a, b) => (a.openMs ?? 0) - (b.openMs ?? 0));
  return positions.map((position) => shownPosition(position, dashboard));
}

/** A page of a subaccount's closed positions, newest first, with a `Link` header if there is a next page. */
export async function readClosedPositions(reads: VenueReads, hotkey: Hotkey, path: string, query: HistoryQuery) {
  const span = spanOf(query);
  const dashboard = requireFound(await reads.dashboard(hotkey));
  const positions = await provenPositions(dashboard, () => reads.networkOrders(hotkey));
  return historyPage(path, query, closedPositions(dashboard, positions, span, query.pair));
}

/** The account of a subaccount without a wallet. Throws VENUE_UNREADABLE if the network cannot be read. */
export async function readSubaccount(reads: VenueReads, trader: NetworkTrader): Promise<Schemas['AccountInfo']> {
  const [dashboard, limits] = await Promise.all([
    reads.dashboard(trader.hotkey),
    readLimits(reads, trader, async () => '0'),
  ]);
  return networkAccount(trader, requireFound(dashboard), limits, null);
}

/** The rules of a trader with current values. Throws VENUE_UNREADABLE if the venue cannot be read. */
export async function readRules(reads: VenueReads, trader: Trader): Promise<Schemas['Rule'][]> {
  const [details, dashboard, limits] = await Promise.all([
    readPairs(reads, trader),
    findDashboard(reads, trader),
    findLimits(reads, trader),
  ]);
  const rules = dashboard && limits ? accountRules(dashboard, limits) : exchangeRules();
  return [...rules, ...pairRules(details)];
}
