import type { Exvenue, Fill, OrderView } from '../adapters/exvenue/types.ts';
import type { Netvenue } from '../adapters/netvenue/types.ts';
import type { Lookup } from '../kernel/answer.ts';
import { fresh, steady } from '../kernel/fresh.ts';

const FRESH_MS = 1_000;
/** Limits follow the balance, settlements come every twelve hours: neither moves within seconds. */
const SLOW_FRESH_MS = 10_000;
/** Executions are the dearest reads of the exchange, whose budget all callers share. */
const FILLS_FRESH_MS = 5_000;
/** The registry of pairs changes every few weeks. */
const PAIRS_FRESH_MS = 60_000;
const PAIRS_STALE_MS = 600_000;

/** A span of executions of a wallet; `toMs` is left open for all up to now. */
export type FillSpan = { wallet: string; fromMs: number; toMs: number | null };

/** Reads of both venues, as they are shared by everyone in a process. Wallets in lower case. */
export type VenueReads = ReturnType<typeof venueReads>;

/**
 * Makes the process's reads of venues: one call under way per question, its answer good for about a second (longer where that
 * changes slowly), none longer than `timeoutMs`. A failed read is never kept and never answered as empty.
 */
export const venueReads = (netvenue: Netvenue, exvenue: Exvenue, timeoutMs: number) => {
  const limits = { timeoutMs };
  const openOrders = fresh(FRESH_MS, (key: string) => {
    const [wallet = '', dex = ''] = key.split(' ');
    return exvenue.openOrders(wallet, dex, limits);
  });
  const settlements = fresh(SLOW_FRESH_MS, (uuid: string) => netvenue.settlements(uuid, Date.now(), limits));
  const pairsNow = fresh(FRESH_MS, () => netvenue.tradePairs(limits));
  const fills = fresh(FILLS_FRESH_MS, (key: string) => {
    const { wallet, fromMs, toMs } = JSON.parse(key) as FillSpan; // as written below
    return exvenue.fills(wallet, { fromMs, ...(toMs !== null && { toMs }) }, limits);
  });
  return {
    /** Every order of a subaccount at the network. */
    networkOrders: fresh(FRESH_MS, (hotkey: string) => netvenue.orders(hotkey, limits)),
    /** The network's word on a subaccount. */
    dashboard: fresh(FRESH_MS, (hotkey: string) => netvenue.dashboard(hotkey, limits)),
    /** The same, asked for this once: what is to be refused because of it is looked at anew. */
    dashboardNow: (hotkey: string) => netvenue.dashboard(hotkey, limits),
    /** The network's word on the subaccount linked to a wallet. */
    walletDashboard: fresh(FRESH_MS, (wallet: string) => netvenue.walletDashboard(wallet, limits)),
    limits: fresh(SLOW_FRESH_MS, (hotkey: string) => netvenue.limits(hotkey, limits)),
    walletLimits: fresh(SLOW_FRESH_MS, (wallet: string) => netvenue.walletLimits(wallet, limits)),
    settlements,
    /** The network's registry of pairs, at most a minute old unless the network cannot be read. */
    tradePairs: steady(PAIRS_FRESH_MS, PAIRS_STALE_MS, () => netvenue.tradePairs(limits)),
    /** The same, never older than a second. */
    tradePairsNow: () => pairsNow(''),
    /** A wallet's accounts on every dex. */
    accounts: fresh(FRESH_MS, (wallet: string) => exvenue.accounts(wallet, limits)),
    spotBalances: fresh(FRESH_MS, (wallet: string) => exvenue.spotBalances(wallet, limits)),
    /** Open orders of a wallet on one dex, the venue's own by default. */
    exchangeOrders: (wallet: string, dex = ''): Promise<Lookup<OrderView[]>> => openOrders(`${wallet} ${dex}`),
    /** Everything that can be traded on the exchange's perpetual dexes. */
    exchangeAssets: fresh(PAIRS_FRESH_MS, (dex: string) => exvenue.assets(dex, limits)),
    exchangeDexes: () => exvenue.dexes(limits),
    exchangeAsset: (coin: string) => exvenue.asset(coin, limits),
    /** Mid prices of one dex by coin; spot pairs come with the venue's own. */
    mids: fresh(FRESH_MS, (dex: string) => exvenue.mids(dex, limits)),
    fills: (span: FillSpan): Promise<Lookup<Fill[]>> => fills(JSON.stringify(span)),
  };
};
