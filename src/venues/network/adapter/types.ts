import type { AtOnce } from '../../../kernel/at-once.ts';
import type { OverallRule } from '../../../kernel/buckets.ts';
import type { Hotkey, OrderUuid, WalletAddress } from '../../../kernel/ids.ts';
import type { ReadResult, UpstreamResult } from '../../../kernel/upstream-result.ts';
import type { ArchivedOrder, Bracket, OrderType, Signal, SubmitResult, TrailingStop } from './signal-types.ts';

/** Addresses of one entity's miner and validator, and this service's keys for them. */
export type NetvenueAccess = {
  minerUrl: string;
  minerKey: string;
  validatorUrl: string;
  validatorKey: string;
  entityHotkey: Hotkey;
  /** The turns of requests, whichever entity they are of. Absent: none waits. */
  turns?: NetvenueTurns | undefined;
};

/** Limits of requests to the validator and, in a process that sends orders, to miners, for exits and entries separately. */
export type NetvenueTurns = { miners?: Record<'exit' | 'entry', AtOnce>; validator: AtOnce };

/** One order as the validator reports it. `price` is null until the order is filled. Sizes are negative for SHORT. */
export type DashboardOrder = {
  uuid: string;
  tradePair: string | null;
  orderType: OrderType | null;
  executionType: string | null;
  leverage: number | null;
  value: number | null;
  quantity: number | null;
  price: number | null;
  limitPrice: number | null;
  stopPrice: number | null;
  stopCondition: string | null;
  stopLoss: number | null;
  takeProfit: number | null;
  trailingStop: TrailingStop | null;
  /** The exits that the order carries, as they were sent; null if the payload does not list them. */
  brackets: Bracket[] | null;
  processedMs: number | null;
  /**
   * The venue's source code of the order. Compact payloads have it only in the uuid of a forced close. See
   * venues/network-validator.md#order-source-codes.
   */
  source: number | null;
};

/** One position as the validator reports it. Money is in USD, times are epoch ms. */
export type DashboardPosition = {
  uuid: string;
  tradePair: string;
  side: OrderType;
  openMs: number | null;
  closeMs: number | null;
  netLeverage: number | null;
  averageEntryPrice: number | null;
  realizedPnl: number | null;
  unrealizedPnl: number | null;
  returnNow: number | null;
  /** Signed. Verbose payloads only. */
  netQuantity: number | null;
  /** Signed, in USD. Verbose payloads, and the compact ones of newer builds. */
  netValue: number | null;
  filledOrders: DashboardOrder[];
  unfilledOrders: DashboardOrder[];
  feesTotal: number | null;
};

/**
 * Drawdowns and their limits, always in percent: 1.24 is 1.24 %. An account that reaches a limit is eliminated. `overall`: what
 * `overallRule` of the account measures. `equity`: the account's value as a fraction of its size, 1 at the start.
 */
export type Drawdown = {
  intraday: number | null;
  intradayLimit: number | null;
  overall: number | null;
  overallLimit: number | null;
  equity: number | null;
};

/** The account's money in USD. `balance` excludes open positions; `capitalUsed` is their value. */
export type Money = {
  realizedPnl: number | null;
  capitalUsed: number | null;
  balance: number | null;
  buyingPower: number | null;
};

/** The validator's v2 dashboard of one subaccount, in one form for both formats (compact, verbose). */
export type Dashboard = {
  status: string;
  syntheticHotkey: Hotkey | null;
  subaccountUuid: string | null;
  exAddress: WalletAddress | null;
  payoutAddress: string | null;
  kycStatus: string | null;
  /** The validator's timestamp of the response (epoch ms). */
  atMs: number | null;
  /** Null until the first evaluation, about 1 minute after the account was created. */
  drawdown: Drawdown | null;
  overallRule: OverallRule;
  money: Money | null;
  totalLeverage: number | null;
  assetClass: string | null;
  accountSize: number | null;
  createdMs: number | null;
  bucket: string | null;
  elimination: { atMs: number | null; reason: string | null } | null;
  positions: DashboardPosition[];
  openOrders: DashboardOrder[];
  /**
   * Uuids of orders that are no longer open: filled, cancelled or swept. Some builds return them only once, or only
   * with a cursor. A missing uuid proves nothing; call `orders`.
   */
  closedOrders: string[];
  /**
   * Which sections the response contains. A missing one may be empty or may have failed inside the validator. A section with a position or order that
   * cannot be read counts as missing, because it does not prove what is open. A position that is certainly closed is an exception: if it cannot be
   * read, only `closed` is false.
   */
  reported: { positions: boolean; closed: boolean; orders: boolean };
};

/**
 * The maximum holdings of an account. `pairLeverage`: multiples of the balance by wire id; empty if the venue gives one
 * figure for all pairs (linked wallets). `classUsd` is null if the venue has no caps per asset class.
 */
export type Limits = {
  tier: number | null;
  accountSize: number | null;
  portfolioMultiple: number | null;
  portfolioUsd: number;
  perPairUsd: number | null;
  classUsd: Record<string, number> | null;
  pairLeverage: Record<string, number>;
};

/**
 * The payout of a funded account for one week, in USD. `startMs` is a Monday 00:00 UTC, `endMs` the following one, exclusive; until then
 * the payout may still fall.
 */
export type Settlement = { startMs: number; endMs: number; payoutUsd: number };

/** A subaccount whose settlements are asked for by its uuid. They name its hotkey, which is null if it is not known. */
export type Earning = { uuid: string; hotkey: Hotkey | null };

/** All orders of one subaccount at the validator, by state. */
export type OrderBook = { unfilled: DashboardOrder[]; filled: DashboardOrder[]; cancelled: DashboardOrder[] };

/**
 * A pair of the validator's registry. `tradePair` is the wire id. Positions in `reduce_only` pairs can only be closed.
 */
export type TradePair = {
  tradePair: string;
  display: string;
  category: string;
  source: string | null;
  state: 'allowed' | 'reduce_only' | 'disabled';
  maxLeverage: number | null;
  exCoin: string | null;
  /** Caps by account tier, as multiples of the balance. Newer builds only. */
  leverageByTier: Record<string, number> | null;
};

/** A subaccount as the network records it. `status` starts as `pending` and becomes `active` or `failed`. */
export type Subaccount = {
  subaccountId: number;
  subaccountUuid: string | null;
  syntheticHotkey: Hotkey;
  assetClass: string;
  accountSize: number;
  status: string;
  createdMs: number | null;
  exAddress: WalletAddress | null;
};

/** A subaccount in the list of its entity. Members that cannot be read are null and match anything. */
export type ListedSubaccount = { [Name in keyof Subaccount]: Subaccount[Name] | null } & Pick<Subaccount, 'status'>;

/** A subaccount to create: for an asset class, or linked to an exchange wallet. `accountSize` in USD. */
export type NewSubaccount =
  | { assetClass: string; accountSize: number }
  | { exAddress: WalletAddress; payoutAddress?: WalletAddress; accountSize: number };

/** One entity's miner and validator. Every call accepts a maximum duration (ms) and an abort signal. */
export type Netvenue = {
  /** Posts one signal to the miner. Never retried. May last as long as the miner takes (about 100 s at most). */
  submit(signal: Signal, limits?: CallLimits): Promise<SubmitResult>;
  /**
   * The miner's archive of one order. `failed` does not prove that the order had no effect. A response shows that the miner has
   * accepted the connections of all requests that were sent before. No caller shortens it: a thread of the miner would still serve it.
   */
  orderStatus(orderUuid: OrderUuid): Promise<ReadResult<ArchivedOrder>>;
  /** The validator's dashboard of one subaccount. */
  dashboard(syntheticHotkey: Hotkey, limits?: CallLimits): Promise<ReadResult<Dashboard>>;
  /** The validator's orders of one subaccount. `absent` if it has none. */
  orders(syntheticHotkey: Hotkey, limits?: CallLimits): Promise<ReadResult<OrderBook>>;
  /** The validator's dashboard of the subaccount linked to an exchange wallet. `absent` for an unknown wallet. */
  walletDashboard(exAddress: WalletAddress, limits?: CallLimits): Promise<ReadResult<Dashboard>>;
  /** The limits of a subaccount. */
  limits(syntheticHotkey: Hotkey, limits?: CallLimits): Promise<ReadResult<Limits>>;
  /** The limits of the subaccount linked to an exchange wallet. */
  walletLimits(exAddress: WalletAddress, limits?: CallLimits): Promise<ReadResult<Limits>>;
  /**
   * All weekly settlements of a subaccount up to the last 12-hour boundary before `nowMs` (epoch ms). `absent` if the
   * validator has none: the subaccount is unknown, not funded, or has no orders.
   */
  settlements(of: Earning, nowMs: number, limits?: CallLimits): Promise<ReadResult<Settlement[]>>;
  /** The validator's registry of pairs, which changes every few weeks. */
  tradePairs(limits?: CallLimits): Promise<ReadResult<TradePair[]>>;
  /** Creates a subaccount. Not idempotent at the miner: never repeat a call in doubt. */
  createSubaccount(requested: NewSubaccount, limits?: CallLimits): Promise<UpstreamResult<Subaccount>>;
  /** All subaccounts of the entity, from the validator. */
  listSubaccounts(limits?: CallLimits): Promise<ReadResult<ListedSubaccount[]>>;
};

/**
 * After `notAfter` (epoch ms) nothing is sent and the result is `unreachable`. `onSent` is called once all of the request has left, `onResponse`
 * once the response is here, and once more if it says that the upstream may have been done earlier (`at`, as `performance.now()`).
 */
export type CallLimits = {
  timeoutMs?: number;
  signal?: AbortSignal;
  notAfter?: number;
  onSent?: () => void;
  onResponse?: (at?: number) => void;
};
