import type { Ledger } from '../ledger.ts';
import type { Records } from './archive.ts';
import type { Pair } from './pairs.ts';
import type { Asked, BracketAsked, Execution, Exits, Side } from './signal.ts';

/** An order the validator holds: resting while `price` is 0. Quantities are signed: negative for SHORT. */
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
  stopCondition: Asked['stopCondition'];
  brackets: BracketAsked[];
  processedMs: number;
  /** Where it came from and what became of it. Venue facts: order source codes. */
  source: number;
  bindingCap: string | null;
};

/** `armed`: a stop-limit whose stop was reached. `best`: the best price since a trailing stop was placed. */
export type Resting = Order & { armed: boolean; best: number };

/** A position's uuid is the uuid of the order that opened it. */
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

/** A subaccount; `status` is set by hand or by the end of it, otherwise told from `activeFromMs`. */
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
  elimination: { atMs: number; reason: string } | null;
  realized: number;
  open: Map<string, Position>;
  closed: Position[];
  resting: Map<string, Resting>;
  ended: Order[];
  lastOrderMs: Map<string, number>;
  /** What the drawdown is counted from, as parts of the account's size. */
  closes: { dayOpen: number; last: number; highest: number };
  settlements: Settlement[];
};

/** One settled week of a funded account. */
type Settlement = { start_ms: number; end_ms: number; payout: number };

/** Everything the validator knows. `resting` finds the orders of a pair when its price moves. */
export type World = {
  entityHotkey: string;
  accounts: Map<number, Account>;
  byAddress: Map<string, Account>;
  pairs: Map<string, Pair>;
  closedMarkets: Set<string>;
  claimed: Set<string>;
  resting: Map<string, Map<string, { account: Account; order: Resting }>>;
  ledger: Ledger;
  /** Uuids the miner has seen since it started. */
  seen: Set<string>;
  archive: Records;
  cooldownMs: number;
  activationMs: number;
};

/** The validator's word on a signal: `error` with an `order` is one that was filled all the same. */
export type Verdict = { error: string | null; order: Order | null };

export const took = (order: Order | null): Verdict => ({ error: null, order });
export const refused = (error: string): Verdict => ({ error, order: null });

/** What an account is worth without its open positions, in USD. */
export const balanceOf = (account: Account): number => account.size + account.realized;

/** What an account is worth with its open positions, as a part of its size. */
export const equityOf = (account: Account): number => {
  const unrealized = [...account.open.values()].reduce(
    (sum, { pair, quantity, averageEntry }) => sum + worthOf(pair, quantity, pair.price - averageEntry),
    0,
  );
  return (balanceOf(account) + unrealized) / account.size;
};

/** What a quantity of a pair is worth in USD at a price; signed as the quantity is. */
export const worthOf = (pair: Pair, quantity: number, price = pair.price): number =>
  quantity * price * pair.lot * pair.usdPerQuote;

/** Writes one effect of an account into the ledger. */
export const record = (world: World, account: Account, kind: string, order: Order, key = order.uuid): void => {
  const { pair, side, quantity, value, leverage, price } = order;
  const detail = { side, quantity, value, leverage, price };
  world.ledger.record({ key, kind, subaccount_id: account.id, pair: pair.id, detail });
};
