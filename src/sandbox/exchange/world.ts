import { minus, plus } from '../../kernel/decimals.ts';
import type { Effect, Ledger } from '../ledger.ts';

/**
 * A tradable coin. Its book is a single mid price. `liquidity`: the maximum fill of a taker at once; null: unlimited.
 */
export type Coin = {
  name: string;
  dex: string;
  id: number;
  sizeDecimals: number;
  maxLeverage: number;
  onlyIsolated: boolean;
  isDelisted: boolean;
  mid: string;
  liquidity: string | null;
};

export type Tif = 'Gtc' | 'Ioc' | 'Alo' | 'FrontendMarket';
export type Trigger = { isMarket: boolean; triggerPx: string; tpsl: 'tp' | 'sl' };

/**
 * An order, open or ended. `live`: in the book or waiting for its trigger; children of an unfilled parent are not live. `fired`: its trigger was
 * reached. `size` is the open size, `status` the venue's status. `statusSize` is the open size at the last change of status, which is what its record
 * shows. See venues/exchange.md#rows.
 */
export type Order = {
  oid: number;
  cloid: string | null;
  owner: Account;
  coin: Coin;
  isBuy: boolean;
  price: string;
  size: string;
  originalSize: string;
  filledSize: string;
  filledValue: string;
  reduceOnly: boolean;
  tif: Tif | null;
  trigger: Trigger | null;
  followsPosition: boolean;
  parent: Order | null;
  children: Order[];
  live: boolean;
  fired: boolean;
  status: string;
  statusSize?: string;
  placedMs: number;
  statusMs: number;
};

/** A position. `size` is signed. */
export type Position = { coin: Coin; size: string; entry: string };

export type Fill = {
  tid: number;
  order: Order;
  price: string;
  size: string;
  timeMs: number;
  startPosition: string;
  direction: string;
  closedPnl: string;
  fee: string;
  crossed: boolean;
  liquidation?: { liquidatedUser: string; markPx: string; method: 'market' };
};

/** A funding payment for a position of this signed size; `usd` is what the account received. */
export type FundingPayment = { coin: Coin; timeMs: number; usd: string; size: string; rate: string };

type Agent = { address: string; name: string; validUntil: number };

/** A wallet. Cash by dex (`''` is the venue's own dex); null until the first deposit. `mode`: how collateral is held. */
export type Account = {
  address: string;
  cash: Map<string, string> | null;
  spot: { total: string; hold: string };
  positions: Map<string, Position>;
  leverage: Map<string, { value: number; isCross: boolean }>;
  orders: Map<number, Order>;
  byCloid: Map<string, Order>;
  fills: Fill[];
  agents: Map<string, Agent>;
  actions: { used: number; volume: string; graceMs: number };
  mode?: 'disabled' | 'unifiedAccount';
  funding?: FundingPayment[];
};

/** What has happened to orders, for those who follow their owners. */
export type News = {
  /** An order was placed, rejected, executed or ended. */
  changed(order: Order): void;
  executed(fill: Fill): void;
  /** Calls `listener` with the orders and executions that one action or one price has changed. */
  listen(listener: (orders: readonly Order[], fills: readonly Fill[]) => void): void;
};

/** What of a world is no state: it is not stored, and replicas show the same. */
export type Surroundings = 'ledger' | 'news';

/** State of the exchange. `live` indexes the live orders by coin. `asOfMs`: the time of a state that is an earlier one. */
export type World = {
  network: 'mainnet' | 'testnet';
  autoFund: string | null;
  actionBudget: number;
  ledger: Ledger;
  news: News;
  coins: Map<string, Coin>;
  coinsById: Map<number, Coin>;
  accounts: Map<string, Account>;
  masters: Map<string, Account>;
  nonces: Map<string, number[]>;
  live: Map<string, Map<number, Order>>;
  nextOid: number;
  nextTid: number;
  throttled: number;
  postOnly: boolean;
  asOfMs?: number;
};

/** The account of an address, created on demand. It has no deposit unless `autoFund` is set. */
export const accountOf = (world: World, address: string): Account => {
  const known = world.accounts.get(address);
  if (known) return known;
  const account: Account = {
    address,
    cash: null,
    spot: { total: '0', hold: '0' },
    positions: new Map(),
    leverage: new Map(),
    orders: new Map(),
    byCloid: new Map(),
    fills: [],
    agents: new Map(),
    actions: { used: 0, volume: '0', graceMs: 0 },
  };
  world.accounts.set(address, account);
  if (world.autoFund !== null) deposit(account, world.autoFund);
  return account;
};

/** Adds cash to an account on one dex. A negative amount removes cash. */
export const deposit = (account: Account, usd: string, dex = ''): void => {
  account.cash ??= new Map();
  account.cash.set(dex, plus(account.cash.get(dex) ?? '0', usd));
};

/** Removes cash, for example a fee. */
export const charge = (account: Account, usd: string, dex: string): void => deposit(account, minus('0', usd), dex);

/** The signed size an account holds of a coin. */
export const heldOf = (account: Account, coin: Coin): string => account.positions.get(coin.name)?.size ?? '0';

/**
 * The leverage of an account in a coin. See venues/exchange.md#actions. The default is 20, or the coin's maximum if lower.
 */
export const leverageOf = (account: Account, coin: Coin): { value: number; isCross: boolean } =>
  account.leverage.get(coin.name) ?? { value: Math.min(20, coin.maxLeverage), isCross: !coin.onlyIsolated };

/** The key of an order in the ledger: its cloid, or `oid:<oid>` without one. */
export const keyOf = ({ cloid, oid }: Order): string => cloid ?? `oid:${oid}`;

/** Writes one effect of an order to the ledger, and notifies those who follow its owner. */
export const record = (
  { ledger, news }: World,
  kind: Effect['kind'],
  order: Order,
  more: Effect['detail'] = {},
  key = keyOf(order),
): void => {
  const { oid, owner, coin, isBuy, price, size, originalSize } = order;
  const detail = { oid, account: owner.address, isBuy, price, size, originalSize, ...more };
  ledger.record({ key, kind, pair: coin.name, detail });
  news.changed(order);
};
