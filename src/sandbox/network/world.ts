import type { Ledger } from '../ledger.ts';
import type { Records } from './archive.ts';
import type { Pair } from './pairs.ts';
import type { BracketRequest, Execution, Exits, Requested, Side } from './signal.ts';

/** An order at the validator. It rests while `price` is 0. Quantities are negative for SHORT. */
export type Order = Exits & {
  uuid: string;
  pair: Pair;
  execution: Execution;
  side: Side;
  leverage: number;
  value: number;
  quantity: number;
  price: number;
  limitPrice: number | null;
  stopPrice: number | null;
  stopCondition: Requested['stopCondition'];
  brackets: BracketRequest[];
  processedMs: number;
  /** Origin and state of the order. See venues/network-validator.md#order-source-codes. */
  source: number;
  bindingCap: string | null;
};

/** A resting order. `armed`: its stop was reached. `best`: the best price since a trailing stop was placed. */
export type Resting = Order & { armed: boolean; best: number };

/** A position. Its uuid is the uuid of the order that opened it. */
export type Position = {
  uuid: string;
  pair: Pair;
  side: Side;
  openMs: number;
  closeMs: number;
  quantity: number;
  averageEntry: number;
  realized: number;
  orders: Order[];
};

/**
 * A subaccount. `status` is set by a control call or an elimination; while null, the status follows from
 * `activeFromMs`.
 */
export type Account = {
  id: number;
  uuid: string;
  hotkey: string;
  assetClass: string;
  size: number;
  exAddress: string | null;
  payoutAddress: string | null;
  createdMs: number;
  activeFromMs: number;
  status: string | null;
  bucket: string;
  /** `bucket`: the one before; a state that an earlier version has stored has none. */
  elimination: { atMs: number; reason: string; bucket?: string } | null;
  realized: number;
  open: Map<string, Position>;
  closed: Position[];
  resting: Map<string, Resting>;
  ended: Order[];
  lastOrderMs: Map<string, number>;
  /** Reference equities of the drawdown, as fractions of the account's size. */
  closes: { dayOpen: number; last: number; highest: number };
  settlements: Settlement[];
};

/** One settled week of a funded account. */
type Settlement = { start_ms: number; end_ms: number; payout: number };

/** Which generation of the network is simulated: before the second half of 2026, or the newest. See venues/network.md#execution-types. */
export type Style = '2025' | '2026';

/** State of one entity's miner and validator. `resting` indexes the resting orders by pair. */
export type World = {
  entityHotkey: string;
  accounts: Map<number, Account>;
  byAddress: Map<string, Account>;
  pairs: Map<string, Pair>;
  closedMarkets: Set<string>;
  claimed: Set<string>;
  resting: Map<string, Map<string, { account: Account; order: Resting }>>;
  ledger: Ledger;
  /** Uuids that the miner has received since it started. */
  seen: Set<string>;
  archive: Records;
  cooldownMs: number;
  activationMs: number;
  style: Style;
};

/** The validator's result of a signal. `error` together with `order`: the order was filled nevertheless. */
export type Verdict = { error: string | null; order: Order | null };

/** An accepted signal. */
export const took = (order: Order | null): Verdict => ({ error: null, order });
/** A rejected signal. */
export const rejected = (error: string): Verdict => ({ error, order: null });

/** The account's balance without open positions, in USD. */
export const balanceOf = (account: Account): number => account.size + account.realized;

/** The account's value with open positions, as a fraction of its size. */
export const equityOf = (account: Account): number => {
  const unrealized = [...account.open.values()].reduce(
    (sum, { pair, quantity, averageEntry }) => sum + worthOf(pair, quantity, pair.price - averageEntry),
    0,
  );
  return (balanceOf(account) + unrealized) / account.size;
};

/** The value of a quantity in USD at a price, with the sign of the quantity. */
export const worthOf = (pair: Pair, quantity: number, price = pair.price): number =>
  quantity * price * pair.lot * pair.usdPerQuote;

/** Writes one effect of an account to the ledger. */
export const record = (world: World, account: Account, kind: string, order: Order, key = order.uuid): void => {
  const { pair, side, quantity, value, leverage, price } = order;
  const detail = { side, quantity, value, leverage, price };
  world.ledger.record({ key, kind, subaccount_id: account.id, pair: pair.id, detail });
};
