import type { Db } from '../../db/pool.ts';
import { ApiError } from '../../kernel/errors.ts';
import { type Hotkey, hotkeyOf, type OwnerId, type WalletAddress } from '../../kernel/ids.ts';
import type { ReadResult } from '../../kernel/upstream-result.ts';
import type { Dashboard, Limits } from '../../venues/network/adapter/types.ts';
import { findSubaccount, type Subaccount } from '../../venues/network/subaccounts/queries.ts';
import type { VenueReads } from '../../venues/reads.ts';
import { findWalletLink, type WalletLink } from './queries.ts';

/** The trader of a Trader-ID. Wallets are in lower case and need no enrollment for reads. */
export type Trader = NetworkTrader | ExchangeTrader;
/** A subaccount at the network. */
export type NetworkTrader = { venue: 'netvenue'; hotkey: Hotkey; subaccount: Subaccount };
/** A wallet at the exchange. `link` is null unless this owner registered the wallet at the network. */
export type ExchangeTrader = { venue: 'exvenue'; wallet: WalletAddress; link: WalletLink | null };

/** The dependencies of `getTrader`. */
export type TraderDeps = { db: Db; config: { NETVENUE_ENTITY_HOTKEY: string } };

/** The members of a call that identify its trader. */
type AnyCall = { deps: TraderDeps; principal: { owner: OwnerId }; header: { 'Trader-ID': string } };

/** The trader of a call: a wallet for an id with `0x`, else a subaccount. Throws V1_TRADER_UNKNOWN. */
export async function getTrader(call: AnyCall): Promise<Trader> {
  const id = call.header['Trader-ID'];
  if (!id.startsWith('0x')) return getNetworkTrader(call);
  const wallet = walletOf(call);
  return { venue: 'exvenue', wallet, link: await findWalletLink(call.deps.db, call.principal.owner, wallet) };
}

/** The subaccount of a call to a network route. Throws V1_TRADER_UNKNOWN if the owner has no such subaccount. */
export async function getNetworkTrader({ deps, principal, header }: AnyCall): Promise<NetworkTrader> {
  const hotkey = hotkeyOf(deps.config.NETVENUE_ENTITY_HOTKEY, Number(header['Trader-ID']));
  const subaccount = await findSubaccount(deps.db, principal.owner, hotkey);
  if (!subaccount) throw new ApiError('V1_TRADER_UNKNOWN');
  return { venue: 'netvenue', hotkey, subaccount };
}

/** The wallet of a call to an exchange route, in lower case. */
export const walletOf = ({ header }: Pick<AnyCall, 'header'>): string => header['Trader-ID'].toLowerCase();

/**
 * The network's dashboard of a trader; null only for a wallet that the owner has not registered, or that the network
 * does not know. Throws VENUE_UNREADABLE.
 */
export async function findDashboard(reads: VenueReads, trader: Trader): Promise<Dashboard | null> {
  if (trader.venue === 'exvenue') return dashboardOfLink(trader.link, foundOrNull(await readWallet(reads, trader)));
  return requireFound(await reads.dashboard(trader.hotkey));
}

/** The network's dashboard of the wallet, without a call to the network if the owner has not registered the wallet. */
export const readWallet = async (
  reads: VenueReads,
  { wallet, link }: ExchangeTrader,
): Promise<ReadResult<Dashboard>> => (link ? reads.walletDashboard(wallet) : { kind: 'absent' });

/** A dashboard read by wallet, if it shows the owner's own subaccount; null if it shows another one. */
export const dashboardOfLink = (link: WalletLink | null, shown: Dashboard | null): Dashboard | null =>
  link && shown && (!link.hotkey || !shown.syntheticHotkey || link.hotkey === shown.syntheticHotkey) ? shown : null;

/** The network's limits of a trader; null where it has no dashboard. Throws VENUE_UNREADABLE. */
export async function findLimits(reads: VenueReads, trader: Trader): Promise<Limits | null> {
  if (trader.venue === 'exvenue')
    return (await findDashboard(reads, trader)) && foundOrNull(await reads.walletLimits(trader.wallet));
  return requireFound(await reads.limits(trader.hotkey));
}

/** The data of a read. Throws VENUE_UNREADABLE if it failed or the object is absent. */
export function requireFound<T>(read: ReadResult<T>): T {
  if (read.kind !== 'found') throw new ApiError('VENUE_UNREADABLE');
  return read.data;
}

/** The data of a read; null if the object is absent. Throws VENUE_UNREADABLE if the read failed. */
export function foundOrNull<T>(read: ReadResult<T>): T | null {
  if (read.kind === 'unreadable') throw new ApiError('VENUE_UNREADABLE');
  return read.kind === 'found' ? read.data : null;
}

/** A value that the response needs. Throws VENUE_UNREADABLE if the venue omitted it; no default is assumed. */
export function requireValue<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new ApiError('VENUE_UNREADABLE');
  return value;
}
