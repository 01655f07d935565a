import type { components } from '../../../contract/types.ts';
import type { Db } from '../../../db/pool.ts';
import { typeOfBucket } from '../../../kernel/buckets.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { Hotkey, OwnerId, WalletAddress } from '../../../kernel/ids.ts';
import { type ReadResult, unreadable } from '../../../kernel/upstream-result.ts';
import { foundOrNull, requireFound, requireValue } from '../../found.ts';
import { isSettled, type PayoutWeek, type Portfolio } from '../../portfolio.ts';
import { accountStatusOf, type VenueReads } from '../../reads.ts';
import type { Dashboard, DashboardPosition, Earning, OrderBook, Settlement } from '../adapter/types.ts';
import { placedAs } from '../orders/venue-records.ts';
import { findSubaccount } from '../subaccounts/queries.ts';
import { networkAccount } from './account.ts';
import { accountRules } from './account-rules.ts';
import { closedPositions } from './closed-positions.ts';
import { readNetworkFacts } from './facts.ts';
import { filledOrders } from './filled-orders.ts';
import { networkLimits } from './limits.ts';
import { isOpenTo } from './names.ts';
import { shownPairs } from './pairs.ts';
import { areProven, isOpen, provenPositions, shownPosition } from './positions.ts';
import { listOwnOrders } from './queries.ts';

type Schemas = components['schemas'];

/** What portfolios at the network are read from. */
export type PortfolioDeps = {
  db: Db;
  reads: VenueReads;
  /** The balance of an account's wallet at the exchange; null without a wallet, or if it cannot be read. */
  exBalance(wallet: WalletAddress | null): Promise<string | null>;
};

/** The portfolio of a subaccount. Throws V1_TRADER_UNKNOWN if the owner has no such subaccount. */
export async function openSubaccount(deps: PortfolioDeps, owner: OwnerId, hotkey: Hotkey): Promise<Portfolio> {
  const { db, reads } = deps;
  const subaccount = await findSubaccount(db, owner, hotkey);
  if (!subaccount) throw new ApiError('V1_TRADER_UNKNOWN');
  const dashboardOf = async () => requireFound(await reads.dashboard(hotkey));
  const limitsOf = async () => requireFound(await reads.limits(hotkey));
  const limits = async () => {
    const found = await limitsOf();
    const isPerPair = Object.keys(found.pairLeverage).length > 0;
    return networkLimits(found, isPerPair ? [] : requireFound(await reads.tradePairs()));
  };
  return {
    async account() {
      const [dashboard, shownLimits] = await Promise.all([dashboardOf(), limits()]);
      const shownAs = { venue: 'netvenue' as const, hotkey, wallet: null };
      return networkAccount(shownAs, dashboard, shownLimits, await deps.exBalance(dashboard.exAddress));
    },
    limits,
    positions: () => readOpenPositions(reads, hotkey),
    async closedPositions({ span, pair }) {
      const dashboard = await dashboardOf();
      const positions = await provenPositions(dashboard, () => reads.networkOrders(hotkey));
      return closedPositions(dashboard, positions, span, pair);
    },
    async filledOrders({ span, pair }) {
      const filled = foundOrNull(await reads.networkOrders(hotkey))?.filled ?? [];
      const ids = filled.map(({ uuid }) => placedAs(uuid));
      return filledOrders(filled, await listOwnOrders(db, owner, hotkey, ids), span, pair);
    },
    async rules() {
      const [dashboard, found] = await Promise.all([dashboardOf(), limitsOf()]);
      return accountRules(dashboard, found);
    },
    async pairs() {
      const [dashboard, found, pairs] = await Promise.all([dashboardOf(), limitsOf(), reads.tradePairs()]);
      const assetClass = requireValue(dashboard.assetClass); // without it, every pair would be open
      const open = requireFound(pairs).filter((pair) => isOpenTo(assetClass, pair));
      if (open.length === 0) throw new ApiError('VENUE_UNREADABLE'); // a class that the registry does not have
      return shownPairs(open, found);
    },
    facts: (trade) => readNetworkFacts(reads, hotkey, trade),
    async payouts() {
      const uuid = subaccount.subaccount_uuid ?? (await uuidOf(reads, hotkey));
      return weeksOf(reads, { uuid, hotkey }, foundOrNull(await reads.dashboard(hotkey)));
    },
  };
}

/** What the network shows of what a subaccount has earned. */
export type EarningReads = {
  settlements(of: Earning, untilMs?: number): Promise<ReadResult<Settlement[]>>;
  dashboard(hotkey: Hotkey): Promise<ReadResult<Dashboard>>;
  networkOrders(hotkey: Hotkey): Promise<ReadResult<OrderBook>>;
};

/**
 * The weeks with a payout of a subaccount, oldest first. Once it is eliminated the network shows none: those that had ended before are read as of
 * then. Throws VENUE_UNREADABLE where the network does not show them, unless the account has failed its challenge, in which it earns nothing.
 */
export async function weeksOf(
  reads: Omit<EarningReads, 'dashboard'>,
  earning: Earning,
  shown: Dashboard | null,
): Promise<PayoutWeek[]> {
  const isEarned = ({ payoutUsd }: PayoutWeek) => payoutUsd > 0;
  if (!shown || accountStatusOf(shown) !== 'breached') {
    const read = await reads.settlements(earning);
    return (foundOrNull(shown ? await unlessTraded(read, earning, shown, reads) : read) ?? []).filter(isEarned);
  }
  if (shown.elimination?.reason?.includes('CHALLENGE')) return [];
  const endedMs = requireValue(shown.elimination?.atMs);
  const read = await reads.settlements(earning, endedMs - 1);
  if (read.kind === 'absent') rejectNumberZero(earning);
  return requireFound(read).filter((week) => week.endMs <= endedMs && isEarned(week));
}

/**
 * The settlements of a subaccount that lives. `absent`: it is in its challenge, or has none yet. Unreadable where the validator says so of one that
 * may be funded and has traded for long enough to be settled: it says the same where its records are missing. Throws VENUE_UNREADABLE, not retryable,
 * for number 0. See venues/network-validator.md#payouts.
 */
export async function readSettlements(reads: EarningReads, earning: Earning): Promise<ReadResult<Settlement[]>> {
  const read = await reads.settlements(earning);
  if (read.kind !== 'absent' || earning.hotkey === null) return read;
  const shown = await reads.dashboard(earning.hotkey);
  return shown.kind === 'found' ? unlessTraded(read, earning, shown.data, reads) : NOT_SHOWN;
}

const NOT_SHOWN = unreadable('the validator has no settlements of an account that may have some');

async function unlessTraded(
  read: ReadResult<Settlement[]>,
  { hotkey }: Earning,
  shown: Dashboard,
  { networkOrders }: Pick<EarningReads, 'networkOrders'>,
): Promise<ReadResult<Settlement[]>> {
  if (read.kind !== 'absent' || hotkey === null || typeOfBucket(shown.bucket) === 'challenge') return read;
  const isNew = ({ openMs }: DashboardPosition) => openMs !== null && !isSettled({ endMs: openMs });
  const areNew = (await areProven(shown, () => networkOrders(hotkey))) && shown.positions.every(isNew);
  if (areNew) return read;
  rejectNumberZero({ hotkey });
  return NOT_SHOWN;
}

/** The validator never has settlements of an entity's subaccount 0, so waiting does not help. */
function rejectNumberZero({ hotkey }: Pick<Earning, 'hotkey'>): void {
  if (hotkey?.endsWith('_0')) throw new ApiError('VENUE_UNREADABLE', { retryable: false, message: OF_NUMBER_ZERO });
}

const OF_NUMBER_ZERO =
  'The network calculates no payouts of subaccount 0 of an entity, so what this account has earned cannot be read or paid out here.';

/** The uuid of a subaccount. Some builds report it only on the subaccount's own dashboard. */
export const uuidOf = async (reads: VenueReads, hotkey: Hotkey): Promise<string> =>
  requireValue(requireFound(await reads.dashboard(hotkey)).subaccountUuid);

/** The open positions of a subaccount, oldest first. Throws VENUE_UNREADABLE if the network cannot be read. */
export async function readOpenPositions(reads: VenueReads, hotkey: Hotkey): Promise<Schemas['Position'][]> {
  return openPositions(requireFound(await reads.dashboard(hotkey)), () => reads.networkOrders(hotkey));
}

/**
 * The pair of each open position that is shown of a subaccount, by its uuid. `areAll`: they suffice, or the network proves that no other is open:
 * one that cannot be read must not keep others from being closed. Throws VENUE_UNREADABLE if the network cannot be read.
 */
export async function readOpenPairs(
  reads: VenueReads,
  hotkey: Hotkey,
  suffice: (pairs: ReadonlyMap<string, string>) => boolean,
): Promise<{ pairs: ReadonlyMap<string, string>; areAll: boolean }> {
  const dashboard = requireFound(await reads.dashboardNow(hotkey)); // a read of its own: a shared one may already wait behind other reads
  const pairs = pairsOf(dashboard.positions);
  const areAll = suffice(pairs) || (await areProven(dashboard, () => reads.networkOrders(hotkey)));
  return { pairs, areAll };
}

const pairsOf = (positions: DashboardPosition[]): ReadonlyMap<string, string> =>
  new Map(positions.filter(isOpen).map(({ uuid, tradePair }) => [uuid.toLowerCase(), tradePair]));

/**
 * The open positions of a dashboard, oldest first. Without a section of orders either nothing rests or the section failed inside the validator; then
 * `exitsBook` shows the exits. Throws VENUE_UNREADABLE if it is not proven which positions are open or which exits they have.
 */
export async function openPositions(
  dashboard: Dashboard,
  book: () => Promise<ReadResult<OrderBook>>,
  exitsBook = book,
): Promise<Schemas['Position'][]> {
  const positions = (await provenPositions(dashboard, book)).filter(isOpen);
  if (positions.length === 0) return [];
  const openOrders = dashboard.reported.orders
    ? dashboard.openOrders
    : (foundOrNull(await exitsBook())?.unfilled ?? []);
  positions.sort((a, b) => (a.openMs ?? 0) - (b.openMs ?? 0));
  return positions.map((position) => shownPosition(position, { ...dashboard, openOrders }));
}
