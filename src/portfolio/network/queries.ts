import type { Dashboard, OrderBook } from '../../adapters/netvenue/types.ts';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import type { Lookup } from '../../kernel/answer.ts';
import { Refusal } from '../../kernel/refusals.ts';
import { networkAccount } from '../balance/account.ts';
import { readLimits } from '../balance/limits.ts';
import { closedPositions } from '../history/network.ts';
import { type HistoryQuery, pageOf, spanOf } from '../history/pages.ts';
import { isOpen, provenPositions, shownPosition } from '../positions/network.ts';
import { findOwnSubaccount } from '../queries.ts';
import type { VenueReads } from '../reads.ts';
import { accountRules, exchangeRules, pairRules } from '../rules/list.ts';
import { readPairs } from '../rules/pairs.ts';
import { findDashboard, findLimits, must, type NetworkTrader, type Trader } from '../traders.ts';

type Schemas = components['schemas'];

/** A subaccount of an owner as a trader, as the reads below want it. Refuses one that is not the owner's as unknown. */
export async function getSubaccount(db: Db, owner: string, hotkey: string): Promise<NetworkTrader> {
  const subaccount = await findOwnSubaccount(db, owner, hotkey);
  if (!subaccount) throw new Refusal('V1_TRADER_UNKNOWN');
  return { venue: 'netvenue', hotkey, subaccount };
}

/** The open positions of a subaccount, oldest first. Refuses where the network cannot be read. */
export async function readOpenPositions(reads: VenueReads, hotkey: string): Promise<Schemas['Position'][]> {
  return openPositions(must(await reads.dashboard(hotkey)), () => reads.networkOrders(hotkey));
}

/** The open positions of a dashboard, oldest first. Refuses where it does not prove what there is. */
export async function openPositions(
  dashboard: Dashboard,
  book: () => Promise<Lookup<OrderBook>>,
): Promise<Schemas['Position'][]> {
  const positions = (await provenPositions(dashboard, book)).filter(isOpen);
  positions.sort((a, b) => (a.openMs ?? 0) - (b.openMs ?? 0));
  return positions.map((position) => shownPosition(position, dashboard));
}

/** A page of a subaccount's closed positions, newest first, with the header that names the next page. */
export async function readClosedPositions(reads: VenueReads, hotkey: string, path: string, query: HistoryQuery) {
  const span = spanOf(query);
  const dashboard = must(await reads.dashboard(hotkey));
  const positions = await provenPositions(dashboard, () => reads.networkOrders(hotkey));
  return pageOf(path, query, closedPositions(dashboard, positions, span, query.pair));
}

/** What the network says of a subaccount that belongs to no wallet. Refuses where it cannot be read. */
export async function readSubaccount(reads: VenueReads, trader: NetworkTrader): Promise<Schemas['AccountInfo']> {
  const [dashboard, limits] = await Promise.all([
    reads.dashboard(trader.hotkey),
    readLimits(reads, trader, async () => '0'),
  ]);
  return networkAccount(trader, must(dashboard), limits, null);
}

/** The rules a trader is held to, and how it stands to them. Refuses where the venue cannot be read. */
export async function readRules(reads: VenueReads, trader: Trader): Promise<Schemas['Rule'][]> {
  const [details, dashboard, limits] = await Promise.all([
    readPairs(reads, trader),
    findDashboard(reads, trader),
    findLimits(reads, trader),
  ]);
  const own = dashboard && limits ? accountRules(dashboard, limits) : exchangeRules();
  return [...own, ...pairRules(details)];
}
