import { cachedRead, cachedStaleRead, currentRead } from '../kernel/cache.ts';
import type { Hotkey, WalletAddress } from '../kernel/ids.ts';
import type { ReadResult } from '../kernel/upstream-result.ts';
import { epochMs, presentWork } from '../kernel/work.ts';
import type { Exvenue, Fill } from './exchange/adapter/types.ts';
import type { Dashboard, Earning, Netvenue } from './network/adapter/types.ts';

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
 * Makes the venue reads of a process. At most one call per key, of each tenant at the exchange, is in progress and takes at most `timeoutMs`. A result
 * is cached for about 1 s, longer for data that changes slowly. A failed read is never cached and never returned as
 * empty. A cached result of a trader is returned only if `caughtUp` resolves to true: the process has forgotten what
 * settled writes, and what events report, have changed. `onDashboard` is called with every dashboard of a subaccount that was read.
 */
export const venueReads = (
  netvenue: Netvenue,
  exvenue: Exvenue,
  timeoutMs: number,
  caughtUp: () => Promise<boolean> = async () => true,
  onDashboard: (trader: Hotkey, shown: Dashboard) => void = () => {},
) => {
  const limits = { timeoutMs };
  const readDashboard = async (hotkey: Hotkey): Promise<ReadResult<Dashboard>> => {
    const read = await netvenue.dashboard(hotkey, limits);
    if (read.kind === 'found') onDashboard(hotkey, read.data);
    return read;
  };
  const ofTrader = <Result extends { kind: string }, Key extends string>(
    freshMs: number,
    read: (key: Key) => Promise<Result>,
  ) => currentRead(cachedRead(freshMs, read), caughtUp);
  /** A read that any tenant may make of a wallet. It waits for the budget in the line of the tenant that begins it, so no other one joins it. */
  const ofAnyWallet = <Result extends { kind: string }>(
    freshMs: number,
    read: (wallet: WalletAddress, ...names: string[]) => Promise<Result>,
  ) => {
    const cached = ofTrader(freshMs, (key: string) => {
      const [wallet = '', , ...names] = key.split(' ');
      return read(wallet, ...names);
    });
    const ofTenant = (wallet: WalletAddress, ...names: (string | number)[]): Promise<Result> =>
      cached([wallet, presentWork().tenant ?? '', ...names].join(' '));
    return Object.assign(ofTenant, { forgetFrom: cached.forgetFrom });
  };
  const settlements = cachedRead(SLOW_FRESH_MS, (key: string) => {
    const [uuid = '', hotkey, untilMs] = key.split(' ');
    return netvenue.settlements({ uuid, hotkey: hotkey || null }, Number(untilMs || epochMs()), limits);
  });
  const pairsNow = cachedRead(FRESH_MS, () => netvenue.tradePairs(limits));
  const atNetwork = {
    /** All orders of a subaccount at the network. */
    networkOrders: ofTrader(FRESH_MS, (hotkey: Hotkey) => netvenue.orders(hotkey, limits)),
    /** The network's dashboard of a subaccount. */
    dashboard: ofTrader(FRESH_MS, readDashboard),
    limits: ofTrader(SLOW_FRESH_MS, (hotkey: Hotkey) => netvenue.limits(hotkey, limits)),
  };
  const ofWallet = {
    /** The network's dashboard of the subaccount linked to a wallet. */
    walletDashboard: ofTrader(FRESH_MS, (wallet: WalletAddress) => netvenue.walletDashboard(wallet, limits)),
    walletLimits: ofTrader(SLOW_FRESH_MS, (wallet: WalletAddress) => netvenue.walletLimits(wallet, limits)),
  };
  const atExchange = {
    /** A wallet's accounts on every dex. */
    accounts: ofAnyWallet(FRESH_MS, (wallet) => exvenue.accounts(wallet, limits)),
    spotBalances: ofAnyWallet(FRESH_MS, (wallet) => exvenue.spotBalances(wallet, limits)),
    /** The builder dexes on which a wallet may have open orders. */
    exchangeDexesWithOrders: ofAnyWallet(FRESH_MS, (wallet) => exvenue.dexesWithOrders(wallet, limits)),
    /** The open orders of a wallet on one dex, by default the venue's own. */
    exchangeOrders: ofAnyWallet(FRESH_MS, (wallet, dex = '') => exvenue.openOrders(wallet, dex, limits)),
    /** One order of a wallet, by the exchange's number or its client order id. */
    exchangeOrder: ofAnyWallet(FRESH_MS, (wallet, name = '') =>
      exvenue.orderStatus(wallet, name.startsWith('0x') ? name : Number(name), limits),
    ),
    /** The leverage of a wallet in an asset. */
    exchangeLeverage: ofAnyWallet(FRESH_MS, (wallet, ...coin) => exvenue.leverage(wallet, coin.join(' '), limits)),
  };
  const fills = ofAnyWallet(FILLS_FRESH_MS, (wallet, fromMs, toMs) =>
    exvenue.fills(wallet, { fromMs: Number(fromMs), ...(toMs && { toMs: Number(toMs) }) }, limits),
  );
  return {
    ...atNetwork,
    ...ofWallet,
    ...atExchange,
    /** The next reads of a trader, a subaccount or a wallet, begin after this call; of all traders, if null. */
    forgetTrader(trader: Hotkey | WalletAddress | null): void {
      const key: string | null = trader; // of either kind: no cache of the other kind has it
      for (const { forget } of Object.values({ ...atNetwork, ...ofWallet })) forget(key);
      if (trader === null || trader.startsWith('0x'))
        for (const { forgetFrom } of [...Object.values(atExchange), fills])
          forgetFrom(trader === null ? '' : `${trader} `);
    },
    /** The dashboard without the cache, for checks that would reject an order. */
    dashboardNow: readDashboard,
    /** The weekly settlements of a subaccount, by default up to now. */
    settlements: ({ uuid, hotkey }: Earning, untilMs?: number) =>
      settlements(`${uuid} ${hotkey ?? ''} ${untilMs ?? ''}`),
    /** The network's registry of pairs, at most 1 min old; older, up to 10 min, if the network cannot be read. */
    tradePairs: cachedStaleRead(PAIRS_FRESH_MS, PAIRS_STALE_MS, () => netvenue.tradePairs(limits)),
    /** The same, never older than 1 s. */
    tradePairsNow: () => pairsNow(''),
    accountMode: ofAnyWallet(SLOW_FRESH_MS, (wallet) => exvenue.accountMode(wallet, limits)),
    /** The assets of one dex of the exchange. */
    exchangeAssets: cachedRead(PAIRS_FRESH_MS, (dex: string) => exvenue.assets(dex)),
    exchangeDexes: () => exvenue.dexes(),
    exchangeAsset: (coin: string) => exvenue.asset(coin),
    /** The mid prices of one dex by coin, at most 1 s old. The venue's own dex includes the spot pairs. */
    mids: (dex: string) => exvenue.mids(dex, { priority: 'read' }),
    fills: ({ wallet, fromMs, toMs }: FillSpan): Promise<ReadResult<Fill[]>> => fills(wallet, fromMs, toMs ?? ''),
    /** A wallet's fills since a time without the cache, for orders that are known to have more than it shows. */
    fillsNow: (wallet: WalletAddress, fromMs: number) => exvenue.fills(wallet, { fromMs }, limits),
  };
};

/** The status of an account, from the network's data. An account whose collateral is not burnt yet is `suspended`. */
export const accountStatusOf = (account: {
  status: string;
  bucket: string | null;
  elimination: object | null;
}): 'active' | 'suspended' | 'breached' => {
  const { status, bucket, elimination } = account;
  if (elimination !== null || status === 'eliminated' || bucket === 'ELIMINATED') return 'breached';
  return status === 'active' || status === 'admin' ? 'active' : 'suspended';
};
