import type { Exvenue, Fill, OrderView } from '../adapters/exchange/types.ts';
import type { Netvenue } from '../adapters/network/types.ts';
import { cachedRead, cachedStaleRead } from '../kernel/cache.ts';
import type { Hotkey, WalletAddress } from '../kernel/ids.ts';
import type { ReadResult } from '../kernel/upstream-result.ts';

const FRESH_MS = 1_000;
/** Limits follow the balance, and settlements come every 12 hours: neither changes within seconds. */
const SLOW_FRESH_MS = 10_000;
/** Fills are the most expensive reads of the exchange, and all callers share its request budget. */
const FILLS_FRESH_MS = 5_000;
/** The registry of pairs changes every few weeks. */
const PAIRS_FRESH_MS = 60_000;
const PAIRS_STALE_MS = 600_000;

/** A span of a wallet's fills, in epoch milliseconds. `toMs` is null for all up to now. */
export type FillSpan = { wallet: WalletAddress; fromMs: number; toMs: number | null };

/** Cached reads of both venues, shared by all callers of a process. Wallets are in lower case. */
export type VenueReads = ReturnType<typeof venueReads>;

/**
 * Makes the venue reads of a process. At most one call per key is in progress and takes at most `timeoutMs`. A result
 * is cached for about 1 s, longer for data that changes slowly. A failed read is never cached and never returned as
 * empty.
 */
export const venueReads = (netvenue: Netvenue, exvenue: Exvenue, timeoutMs: number) => {
  const limits = { timeoutMs };
  const openOrders = cachedRead(FRESH_MS, (key: string) => {
    const [wallet = '', dex = ''] = key.split(' ');
    return exvenue.openOrders(wallet, dex, limits);
  });
  const settlements = cachedRead(SLOW_FRESH_MS, (uuid: string) => netvenue.settlements(uuid, Date.now(), limits));
  const pairsNow = cachedRead(FRESH_MS, () => netvenue.tradePairs(limits));
  const fills = cachedRead(FILLS_FRESH_MS, (key: string) => {
    const { wallet, fromMs, toMs } = JSON.parse(key) as FillSpan; // as: `fills` below writes the key
    return exvenue.fills(wallet, { fromMs, ...(toMs !== null && { toMs }) }, limits);
  });
  const networkOrders = cachedRead(FRESH_MS, (hotkey: Hotkey) => netvenue.orders(hotkey, limits));
  const dashboard = cachedRead(FRESH_MS, (hotkey: Hotkey) => netvenue.dashboard(hotkey, limits));
  return {
    /** All orders of a subaccount at the network. */
    networkOrders,
    /** The network's dashboard of a subaccount. */
    dashboard,
    /** The next reads of a trader's orders and positions begin after this call; of all traders, if null. */
    forgetTrader(trader: string | null): void {
      for (const { forget } of [networkOrders, dashboard]) forget(trader);
    },
    /** The same without the cache, for checks that would reject an order. */
    dashboardNow: (hotkey: Hotkey) => netvenue.dashboard(hotkey, limits),
    /** The network's dashboard of the subaccount linked to a wallet. */
    walletDashboard: cachedRead(FRESH_MS, (wallet: WalletAddress) => netvenue.walletDashboard(wallet, limits)),
    limits: cachedRead(SLOW_FRESH_MS, (hotkey: Hotkey) => netvenue.limits(hotkey, limits)),
    walletLimits: cachedRead(SLOW_FRESH_MS, (wallet: WalletAddress) => netvenue.walletLimits(wallet, limits)),
    settlements,
    /** The network's registry of pairs, at most 1 min old; older, up to 10 min, if the network cannot be read. */
    tradePairs: cachedStaleRead(PAIRS_FRESH_MS, PAIRS_STALE_MS, () => netvenue.tradePairs(limits)),
    /** The same, never older than 1 s. */
    tradePairsNow: () => pairsNow(''),
    /** A wallet's accounts on every dex. */
    accounts: cachedRead(FRESH_MS, (wallet: WalletAddress) => exvenue.accounts(wallet, limits)),
    accountMode: cachedRead(SLOW_FRESH_MS, (wallet: WalletAddress) => exvenue.accountMode(wallet, limits)),
    spotBalances: cachedRead(FRESH_MS, (wallet: WalletAddress) => exvenue.spotBalances(wallet, limits)),
    /** The open orders of a wallet on one dex, by default the venue's own. */
    exchangeOrders: (wallet: WalletAddress, dex = ''): Promise<ReadResult<OrderView[]>> =>
      openOrders(`${wallet} ${dex}`),
    /** The builder dexes on which a wallet may have open orders. */
    exchangeDexesWithOrders: cachedRead(FRESH_MS, (wallet: WalletAddress) => exvenue.dexesWithOrders(wallet, limits)),
    /** The assets of one dex of the exchange. */
    exchangeAssets: cachedRead(PAIRS_FRESH_MS, (dex: string) => exvenue.assets(dex)),
    exchangeDexes: () => exvenue.dexes(),
    exchangeAsset: (coin: string) => exvenue.asset(coin),
    /** The mid prices of one dex by coin. Spot pairs are included in the venue's own dex. */
    mids: cachedRead(FRESH_MS, (dex: string) => exvenue.mids(dex, limits)),
    fills: (span: FillSpan): Promise<ReadResult<Fill[]>> => fills(JSON.stringify(span)),
  };
};
