import { minus, plus } from '../../kernel/decimals.ts';
import type { Effect, Ledger } from '../ledger.ts';

/** A tradable coin; its whole book is one mid price. `liquidity`: the most a taker gets at once, null for all it wants. */
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
 * An order the exchange holds or held. `live`: in the book or watching its trigger; children of an unfilled parent are
 * not. `fired`: its trigger was reached. `size` is what is left, `status` the venue's word.
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
  placedMs: number;
  statusMs: number;
};

/** `size` is signed. */
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
};

type Agent = { address: string; name: string; validUntil: number };

/** A wallet. Cash by dex, of which `''` is the venue's own; null until the first deposit. */
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
};

/** Everything the exchange knows. `live` finds the orders of a coin when its price moves. */
export type World = {
  network: 'mainnet' | 'testnet';
  autoFund: string | null;
  actionBudget: number;
  ledger: Ledger;
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
};

/** The account of an address, made on the way; without a deposit unless the sandbox funds everyone. */
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

/** Adds cash to an account on one dex; negative takes it away. */
export const deposit = (account: Account, usd: string, dex = ''): void => {
  account.cash ??= new Map();
  account.cash.set(dex, plus(account.cash.get(dex) ?? '0', usd));
};

/** Takes cash, as fees do. */
export const charge = (account: Account, usd: string, dex: string): void => deposit(account, minus('0', usd), dex);

/** The signed size an account holds of a coin. */
export const heldOf = (account: Account, coin: Coin): string => account.positions.get(coin.name)?.size ?? '0';

/** The leverage of an account in a coin. Venue facts: updateLeverage; what it is before is 20, or the most allowed. */
export const leverageOf = (account: Account, coin: Coin): { value: number; isCross: boolean } =>
  account.leverage.get(coin.name) ?? { value: Math.min(20, coin.maxLeverage), isCross: !coin.onlyIsolated };

/** What the ledger calls an order: its cloid or, where it has none, its number. */
export const keyOf = ({ cloid, oid }: Order): string => cloid ?? `oid:${oid}`;

/** Writes one effect of an order into the ledger. */
export const record = (
  { ledger }: World,
  kind: Effect['kind'],
  order: Order,
  more: Effect['detail'] = {},
  key = keyOf(order),
): void => {
  const { oid, owner, coin, isBuy, price, size, originalSize } = order;
  const detail = { oid, account: owner.address, isBuy, price, size, originalSize, ...more };
  ledger.record({ key, kind, pair: coin.name, detail });
};
