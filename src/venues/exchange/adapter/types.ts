import type { Grid, Side } from '../../../kernel/grid.ts';
import type { WalletAddress } from '../../../kernel/ids.ts';
import type { ListResult, ReadResult, Rejected, UpstreamResult } from '../../../kernel/upstream-result.ts';
import type { CallLimits, ExitKind, Posted, PostLimits, Signer, TimeInForce } from './action-types.ts';
import type { Rows } from './fields.ts';

/** One of the two networks of the exchange. */
export type Network = 'mainnet' | 'testnet';

/**
 * A tradable asset. `coin` is the venue's name (`BTC`, `xyz:TSLA`, spot `@107` or `PURR/USDC`), `id` its number. `token`: the number of
 * the base token of a spot pair, else of the dex's collateral; null if the venue does not say. `quoteToken`: that of a spot pair's quote.
 */
export type Asset = {
  id: number;
  coin: string;
  kind: 'perp' | 'spot';
  dex: string;
  base: string;
  token: number | null;
  quoteToken: number | null;
  sizeDecimals: number;
  grid: Grid;
  maxLeverage: number | null;
  onlyIsolated: boolean;
  isDelisted: boolean;
};

/** An asset with its prices. `midPrice` is null if one side of the book is empty. Funding is a fraction per hour. */
export type Market = {
  asset: Asset;
  markPrice: string;
  midPrice: string | null;
  oraclePrice: string;
  fundingRate: string | null;
  openInterest: string | null;
};

/** A position. `size` is negative for a short position. Members that cannot be read are null. */
export type PerpPosition = {
  coin: string;
  size: string;
  entryPrice: string | null;
  positionValue: string | null;
  unrealizedPnl: string | null;
  liquidationPrice: string | null;
};

/** One account on one dex (an empty name is the venue's own dex). Amounts are in the collateral of the dex. */
export type PerpAccount = {
  dex: string;
  accountValue: string;
  totalPositionValue: string;
  marginUsed: string;
  withdrawable: string;
  positions: PerpPosition[];
  atMs: number;
};

/** `unified`: spot balances are the collateral of perpetuals too. `separate`: each dex has its own money. */
export type AccountMode = 'separate' | 'unified';

/** `free`: what is not held, between zero and `total`. With portfolio margin `hold` may be negative. */
export type SpotBalance = { coin: string; token: number | null; total: string; hold: string; free: string };

/**
 * An order as the venue reports it. `size` is the open part of `originalSize`; an exit of a position may report 0 for
 * both.
 */
export type OrderView = {
  oid: number;
  cloid: string | null;
  coin: string;
  side: Side;
  limitPrice: string;
  size: string;
  originalSize: string;
  orderType: string | null;
  timeInForce: TimeInForce | 'other' | null;
  reduceOnly: boolean;
  exit: ExitKind | null;
  triggerPrice: string | null;
  followsPosition: boolean;
  children: OrderView[];
  placedMs: number;
};

/** An open order. `parentOid`: the open order for whose fill it waits; null for an order that is live. */
export type OpenOrder = OrderView & { parentOid: number | null };

/** The names of an open order. `children`: the numbers of its exits. `isPartlyFilled`: its sizes show that a part of it was filled. */
export type OrderNames = Pick<OrderView, 'oid' | 'cloid' | 'coin'> & { children: number[]; isPartlyFilled: boolean };

/**
 * `triggered`: the trigger was reached and its result is not recorded yet. `unknown`: an unknown status of the venue.
 */
export type OrderState = 'open' | 'triggered' | 'filled' | 'cancelled' | 'rejected' | 'unknown';

/**
 * An order and its state. `word` is the venue's status; `rejected` is this service's slug and message for a rejection.
 */
export type OrderRecord = {
  order: OrderView;
  state: OrderState;
  word: string;
  rejected: Rejected | null;
  statusMs: number;
};

/**
 * What the stream says of an order, and in which words. It does not name its trigger, nor its time in force. `isPast`: it was asked for, and
 * need not be new.
 */
export type OrderUpdate = { record: OrderRecord; wire: unknown; isPast?: boolean };

/**
 * What the stream has said last of orders, by their client order ids. All processes share it. It counts for as long as reads may be
 * behind it: after that they show all of it.
 */
export type OrderUpdates = {
  /** Null: nothing of late, or it cannot be found out. */
  find(cloid: string): Promise<OrderRecord | null>;
  /** Keeps an update, unless a later one is kept. Resolves to whether it is kept. */
  keep(cloid: string, update: OrderUpdate): Promise<boolean>;
};

/**
 * One execution. `startPosition`: the signed position size before it, with the venue's float residue. Older rows have
 * no cloid, the oldest no trade id. Trade ids have no order. `isLiquidation`: this account was liquidated.
 */
export type Fill = {
  tradeId: number | null;
  oid: number;
  cloid: string | null;
  coin: string;
  side: Side;
  price: string;
  size: string;
  timeMs: number;
  startPosition: string;
  direction: string;
  closedPnl: string;
  fee: string;
  feeToken: string;
  isLiquidation: boolean;
};

/** A funding payment for a position of this signed size. `amount_usd`: what the account received; negative for what it paid. */
export type FundingPayment = { coin: string; timeMs: number; amount_usd: string; size: string; rate: string };

/** Funding payments from a time on, oldest first. `toMs` (epoch ms): up to when they are all there; null if there are no later ones. */
export type FundingHistory = { payments: FundingPayment[]; toMs: number | null };

/** What an address is at the exchange. An agent only signs for its master: its own reads show an empty account. */
export type Role = { kind: 'agent'; master: WalletAddress } | { kind: 'account' };

/** A key that may trade for an account. */
export type Agent = { address: WalletAddress; name: string; validUntilMs: number | null };

/** An account's lifetime budget of actions. */
export type ActionBudget = { used: number; cap: number; surplus: number; volumeUsd: string };

/**
 * The exchange. Reads are `absent` only if the venue reports that it has nothing under that name. They never return a
 * partial list. Read accounts by the account's address: an agent's address shows an empty account.
 */
export type Exvenue = {
  network: Network;
  /** The maximum number of items in one action. */
  batchLimit: number;
  /** Null if the text is not a private key (32 bytes in hex, `0x` optional). The key is never exposed. */
  signerOf(privateKey: string): Signer | null;
  /** Posts exactly these bytes, once. In a batch, accepted items stay in effect beside rejected ones. */
  post(body: string, limits: PostLimits): Promise<UpstreamResult<Posted>>;

  /** Cached for minutes; for an unknown name the list is read again. `absent` only if no row that cannot be read may have this name. */
  asset(coin: string, limits?: CallLimits): Promise<ReadResult<Asset>>;
  /** The number of an asset by its name, also of spot pairs and outcomes. */
  assetId(coin: string, limits?: CallLimits): Promise<ReadResult<number>>;
  /** All assets of a dex, including delisted ones. `spot` returns the spot pairs. */
  assets(dex?: string, limits?: CallLimits): Promise<ReadResult<Rows<Asset>>>;
  /** Names of the builder dexes, without the venue's own. */
  dexes(limits?: CallLimits): Promise<ReadResult<string[]>>;
  markets(dex?: string, limits?: CallLimits): Promise<ReadResult<Market[]>>;
  /**
   * Mid prices by coin, at most 1 s old. Callers share a read, so no caller's time limit applies to it. By default it is as urgent as the present
   * work.
   */
  mids(dex?: string, limits?: Pick<CallLimits, 'priority'>): Promise<ReadResult<Record<string, string>>>;

  account(user: WalletAddress, dex?: string, limits?: CallLimits): Promise<ReadResult<PerpAccount>>;
  /** The account on the venue's own dex and on every builder dex. Unreadable if one of them is. */
  accounts(user: WalletAddress, limits?: CallLimits): Promise<ReadResult<PerpAccount[]>>;
  /** The leverage that an account has set for an asset; the venue's default if it never did. */
  leverage(user: WalletAddress, coin: string, limits?: CallLimits): Promise<ReadResult<number>>;
  accountMode(user: WalletAddress, limits?: CallLimits): Promise<ReadResult<AccountMode>>;
  spotBalances(user: WalletAddress, limits?: CallLimits): Promise<ReadResult<SpotBalance[]>>;
  /** Open orders with their terms. Those of an unknown form are left out. */
  openOrders(user: WalletAddress, dex?: string, limits?: CallLimits): Promise<ListResult<OpenOrder[]>>;
  /** The names of all open orders, also of those whose terms could not be read. */
  openOrderNames(user: WalletAddress, dex?: string, limits?: CallLimits): Promise<ListResult<OrderNames[]>>;
  /** Names of the builder dexes on which an account may have open orders. */
  dexesWithOrders(user: WalletAddress, limits?: CallLimits): Promise<ReadResult<string[]>>;
  /** What the stream has said of orders. */
  updates: OrderUpdates;
  /** By oid or cloid, as a replica shows it or the stream has said, whichever is later. For a busy account `absent` proves little: the venue keeps only about its last 2,000 orders. */
  orderStatus(user: WalletAddress, name: number | string, limits?: CallLimits): Promise<ReadResult<OrderRecord>>;
  /** At most the newest 2,000 orders. Those of an unknown form are left out. */
  historicalOrders(user: WalletAddress, limits?: CallLimits): Promise<ReadResult<OrderRecord[]>>;
  /** At most the newest 2,000 executions, newest first. */
  recentFills(user: WalletAddress, limits?: CallLimits): Promise<ReadResult<Fill[]>>;
  /** Executions of a time span (epoch ms), oldest first, those of 1 ms in the venue's order, over all pages the venue keeps (10,000 rows). */
  fills(user: WalletAddress, span: { fromMs: number; toMs?: number }, limits?: CallLimits): Promise<ReadResult<Fill[]>>;
  /** Funding payments from a time on (epoch ms), over 20 pages at most. */
  funding(user: WalletAddress, fromMs: number, limits?: CallLimits): Promise<ReadResult<FundingHistory>>;
  /** What an address is. Expensive; ask once. */
  role(user: WalletAddress, limits?: CallLimits): Promise<ReadResult<Role>>;
  /** The named keys that may trade for an account. */
  agents(user: WalletAddress, limits?: CallLimits): Promise<ReadResult<Agent[]>>;
  /** The one key without a name that may trade for an account. */
  unnamedAgent(user: WalletAddress, limits?: CallLimits): Promise<ReadResult<Agent>>;
  actionBudget(user: WalletAddress, limits?: CallLimits): Promise<ReadResult<ActionBudget>>;
};
