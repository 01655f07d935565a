import type { Answer, Lookup, Rejected } from '../../kernel/answer.ts';

/** Where one entity's miner and its validator live, and the keys they know us by. */
export type NetvenueAccess = {
  minerUrl: string;
  minerKey: string;
  validatorUrl: string;
  validatorKey: string;
  entityHotkey: string;
};

export type OrderType = 'LONG' | 'SHORT' | 'FLAT';
type ExecutionType = 'MARKET' | 'LIMIT' | 'STOP_LIMIT' | 'BRACKET' | 'LIMIT_CANCEL' | 'LIMIT_EDIT' | 'FLAT_ALL';
export type TrailingStop = { trailing_percent: number } | { trailing_value: number };
type Bracket = {
  order_uuid?: string;
  stop_loss?: number;
  take_profit?: number;
  trailing_percent?: number;
  trailing_value?: number;
  leverage?: number;
  value?: number;
  quantity?: number;
};

/** The body of the miner's single order route, in the miner's own words. */
export type Signal = {
  order_uuid: string;
  subaccount_id: number;
  execution_type: ExecutionType;
  trade_pair?: string;
  order_type?: OrderType;
  leverage?: number;
  value?: number;
  quantity?: number;
  limit_price?: number;
  stop_price?: number;
  stop_condition?: 'GTE' | 'LTE';
  stop_loss?: number;
  take_profit?: number;
  trailing_stop?: TrailingStop;
  bracket_orders?: Bracket[];
};

/** What was really executed or accepted, after the venue's silent clamping; absent members were not reported. */
export type Executed = {
  order_type: OrderType | null;
  quantity: number | null;
  value: number | null;
  leverage: number | null;
  price: number | null;
};

/** The miner's yes to a signal. `note` is a warning worth telling the caller (filled, but its brackets failed). */
export type SignalAccepted = { executed: Executed | null; processingTimeS: number | null; note: string | null };

/**
 * The miner's last record under one uuid. `executionType` tells which command it is about: a later cancel or edit
 * overwrites the order's own record. `accepted` is set when that command took effect, `refused` when the recorded
 * reason proves that it did not; with neither, the record proves nothing. `message` is a sentence of ours.
 */
export type ArchivedOrder = {
  status: 'completed' | 'failed';
  executionType: string | null;
  accepted: SignalAccepted | null;
  refused: Rejected | null;
  message: string | null;
};

/** One order as the validator shows it; `price` is null until it filled. Sizes are negative for SHORT. */
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
  processedMs: number | null;
  /** The venue's code of where it came from; compact payloads leave it out. Venue facts: order source codes. */
  source: number | null;
};

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
  /** What it holds and is worth, signed; verbose payloads only. */
  netQuantity: number | null;
  netValue: number | null;
  filledOrders: DashboardOrder[];
  unfilledOrders: DashboardOrder[];
  feesTotal: number | null;
};

/**
 * How far an account has fallen, all in percent whatever unit the venue wrote: 1.24 is 1.24 %. Limits are what it may fall
 * before it is eliminated. `equity`: what it is worth as a part of its size, 1 at the start.
 */
export type Drawdown = {
  intraday: number | null;
  intradayLimit: number | null;
  endOfDay: number | null;
  endOfDayLimit: number | null;
  equity: number | null;
};

/** The account's money in USD. `balance` leaves open positions out; `capitalUsed` is their value. */
export type Money = {
  realizedPnl: number | null;
  capitalUsed: number | null;
  balance: number | null;
  buyingPower: number | null;
};

/** The validator's v2 dashboard of one subaccount, both spellings (compact, verbose) brought to one. */
export type Dashboard = {
  status: string;
  syntheticHotkey: string | null;
  subaccountUuid: string | null;
  exAddress: string | null;
  payoutAddress: string | null;
  kycStatus: string | null;
  /** When the validator answered. */
  atMs: number | null;
  /** Null until the first evaluation, about a minute after an account was made. */
  drawdown: Drawdown | null;
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
   * Uuids of orders that rest no longer: filled, cancelled, or swept. Builds hand them out once or only to readers
   * with a cursor, so a uuid that is missing here proves nothing: ask `orders`.
   */
  closedOrders: string[];
  /** Which sections came at all. One that did not may be empty or may have failed inside the validator. */
  reported: { positions: boolean; orders: boolean };
};

/**
 * What an account may hold at most. `pairLeverage`: multiples of the balance by wire id; empty where the venue gives one
 * figure for all pairs (linked wallets). `classUsd` is null where the venue does not cap classes apart.
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

/** One week of a funded account: what it earned, in USD. `endMs` is the Monday after, exclusive. */
export type Settlement = { startMs: number; endMs: number; payoutUsd: number };

/** Every order the validator knows of one subaccount, by what became of it. */
export type OrderBook = { unfilled: DashboardOrder[]; filled: DashboardOrder[]; cancelled: DashboardOrder[] };

/** A pair of the validator's registry. `tradePair` is the wire id; `reduce_only` pairs can only be closed. */
export type TradePair = {
  tradePair: string;
  display: string;
  category: string;
  source: string | null;
  state: 'allowed' | 'reduce_only' | 'disabled';
  maxLeverage: number | null;
  exCoin: string | null;
  /** Caps by tier of the account, as multiples of its balance; newer builds only. */
  leverageByTier: Record<string, number> | null;
};

/** A subaccount as the network records it. `status` starts as `pending` and becomes `active` or `failed`. */
export type Subaccount = {
  subaccountId: number;
  subaccountUuid: string | null;
  syntheticHotkey: string;
  assetClass: string;
  accountSize: number;
  status: string;
  createdMs: number | null;
  exAddress: string | null;
};

export type NewSubaccount =
  | { assetClass: string; accountSize: number }
  | { exAddress: string; payoutAddress?: string; accountSize: number };

/** One entity's miner and validator. Every call takes the milliseconds it may last at most and an abort signal. */
export type Netvenue = {
  /** Posts one signal to the miner. Never retried; may last as long as the miner does (about 100 s at worst). */
  submit(signal: Signal, limits?: CallLimits): Promise<Answer<SignalAccepted>>;
  /** The miner's archive of one order. `failed` there is not proof that nothing happened. */
  orderStatus(orderUuid: string, limits?: CallLimits): Promise<Lookup<ArchivedOrder>>;
  /** The validator's word on one subaccount. */
  dashboard(syntheticHotkey: string, limits?: CallLimits): Promise<Lookup<Dashboard>>;
  /** The validator's orders of one subaccount; `absent` where it has none at all. */
  orders(syntheticHotkey: string, limits?: CallLimits): Promise<Lookup<OrderBook>>;
  /** The validator's word on the subaccount linked to an exchange wallet; `absent` where it knows no such wallet. */
  walletDashboard(exAddress: string, limits?: CallLimits): Promise<Lookup<Dashboard>>;
  /** What a subaccount may hold. */
  limits(syntheticHotkey: string, limits?: CallLimits): Promise<Lookup<Limits>>;
  /** What the subaccount linked to an exchange wallet may hold. */
  walletLimits(exAddress: string, limits?: CallLimits): Promise<Lookup<Limits>>;
  /**
   * Weekly settlements of a subaccount, all there are up to the last 12-hour boundary before `nowMs`; `absent` where the
   * validator has none: unknown, not funded, or without orders.
   */
  settlements(subaccountUuid: string, nowMs: number, limits?: CallLimits): Promise<Lookup<Settlement[]>>;
  /** The validator's registry of pairs, which changes every few weeks. */
  tradePairs(limits?: CallLimits): Promise<Lookup<TradePair[]>>;
  /** Makes a subaccount. Not idempotent upstream: never repeat after `in_doubt`. */
  createSubaccount(asked: NewSubaccount, limits?: CallLimits): Promise<Answer<Subaccount>>;
  /** Every subaccount of the entity, as the validator lists them. */
  listSubaccounts(limits?: CallLimits): Promise<Lookup<Subaccount[]>>;
};

/** `notAfter` (epoch ms): past it nothing is sent any more and the answer is `unreachable`. */
export type CallLimits = { timeoutMs?: number; signal?: AbortSignal; notAfter?: number };
