import type { Answer, Lookup, Rejected } from '../../kernel/answer.ts';
import type { Grid, Side } from '../../kernel/grid.ts';

/** Where the exchange lives and which of its networks it is: a signature for one is worthless on the other. */
export type ExvenueAccess = {
  url: string;
  network: Network;
  /** The part of the venue's request budget this process may use, above 0 and at most 1: one divided by the processes. */
  budgetShare?: number;
  /** The venue's whole request budget, in weight a minute; by default what its papers grant one address. */
  budgetPerMinute?: number | undefined;
};

export type Network = 'mainnet' | 'testnet';

/** How long an order may rest: until cancelled, not at all, or only if it takes nothing. */
export type TimeInForce = 'gtc' | 'ioc' | 'alo';

/** A trigger at the mark price. The order's own `price` is then the worst it may execute at. */
type Trigger = { price: string; kind: ExitKind; isMarket: boolean };
export type ExitKind = 'tp' | 'sl';

/** One order as it is to be signed. Prices and sizes are decimals on the asset's grid; `cloid` is 0x and 32 hex digits. */
export type OrderAsked = {
  asset: number;
  side: Side;
  price: string;
  size: string;
  reduceOnly: boolean;
  cloid?: string;
} & ({ timeInForce: TimeInForce } | { trigger: Trigger });

/**
 * What can be signed. Grouping `with_exits`: the first order with its take-profit and stop-loss of fixed size;
 * `on_position`: exits that follow the size of the position.
 */
export type Action =
  | { kind: 'place'; orders: OrderAsked[]; grouping: 'none' | 'with_exits' | 'on_position' }
  | { kind: 'cancel'; orders: { asset: number; oid: number }[] }
  | { kind: 'cancel_by_cloid'; orders: { asset: number; cloid: string }[] }
  | { kind: 'replace'; orders: { target: number | string; order: OrderAsked }[] }
  | { kind: 'set_leverage'; asset: number; leverage: number; isCross: boolean }
  | { kind: 'noop' };

/** A key that signs, and nothing that tells it. `address` in lower case. */
export type Signer = {
  address: string;
  /**
   * The exact body to store and then to post. One nonce, one effect: the venue executes the same bytes at most once. Past
   * `expiresAfterMs` (epoch ms) it refuses them.
   */
  sign(action: Action, terms: { nonce: number; expiresAfterMs?: number; vaultAddress?: string }): Promise<string>;
};

/** What became of one item of an action, in the order asked. `gone` cannot be told from filled: look it up. */
export type ItemResult =
  | { kind: 'resting'; oid: number; cloid: string | null }
  | { kind: 'filled'; oid: number; cloid: string | null; filledSize: string; averagePrice: string }
  | { kind: 'waiting_for_fill' }
  | { kind: 'waiting_for_trigger' }
  | { kind: 'done' }
  | { kind: 'in_doubt'; why: string }
  | Rejected;

/** The venue's yes; `items` is empty for actions without any (leverage, noop). */
export type Posted = { items: ItemResult[] };

/** `notAfter` (epoch ms): past it nothing is sent any more and the answer is `unreachable`. */
export type CallLimits = { timeoutMs?: number; signal?: AbortSignal; notAfter?: number };

/**
 * `firstSend`: these bytes were never handed out before. On a repeat no refusal proves anything, since the first may have
 * been executed: it comes back as in doubt. `account`: whose action budget the action counts against.
 */
export type PostLimits = CallLimits & { firstSend: boolean; account?: string };

/** An asset one can trade. `coin` is the venue's name (`BTC`, `xyz:TSLA`, spot `@107` or `PURR/USDC`), `id` its number. */
export type Asset = {
  id: number;
  coin: string;
  kind: 'perp' | 'spot';
  dex: string;
  base: string;
  quote: string | null;
  sizeDecimals: number;
  grid: Grid;
  maxLeverage: number | null;
  onlyIsolated: boolean;
  isDelisted: boolean;
};

/** An asset with its prices; `midPrice` is null where the book is empty on one side. Funding is a fraction per hour. */
export type Market = {
  asset: Asset;
  markPrice: string;
  midPrice: string | null;
  oraclePrice: string;
  fundingRate: string | null;
  openInterest: string | null;
};

/** A position; `size` is negative for a short one. */
export type PerpPosition = {
  coin: string;
  size: string;
  entryPrice: string | null;
  positionValue: string;
  unrealizedPnl: string;
  liquidationPrice: string | null;
  leverage: number;
  isCross: boolean;
  marginUsed: string;
};

/** One account on one dex (`` is the venue's own). Amounts in USD. */
export type PerpAccount = {
  dex: string;
  accountValue: string;
  totalPositionValue: string;
  marginUsed: string;
  withdrawable: string;
  positions: PerpPosition[];
  atMs: number;
};

/** `free` = total − hold, never below zero. */
export type SpotBalance = { coin: string; token: number | null; total: string; hold: string; free: string };

/** An order as the venue shows it. `size` is what is left of `originalSize`; a position's exit may show 0 for both. */
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

/** `triggered`: its trigger was reached, and what came of it is not recorded yet. `unknown`: a word nobody knows. */
export type OrderState = 'open' | 'triggered' | 'filled' | 'cancelled' | 'rejected' | 'unknown';

/** An order and what became of it. `word` is the venue's own; `refused` says why it was rejected, in our words. */
export type OrderRecord = {
  order: OrderView;
  state: OrderState;
  word: string;
  refused: Rejected | null;
  statusMs: number;
};

/** One execution. `startPosition`: the signed size before it. Older rows carry no cloid. */
export type Fill = {
  tradeId: number;
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

/** A key that may trade for an account. */
export type Agent = { address: string; name: string; validUntilMs: number | null };

/** An account's lifetime budget of actions. */
export type ActionBudget = { used: number; cap: number; surplus: number; volumeUsd: string };

/**
 * The exchange. Reads answer `absent` only where the venue says that it holds nothing of that name, and never a part of a
 * list. Ask for accounts by their own address: an agent's shows an empty account.
 */
export type Exvenue = {
  network: Network;
  /** The most items one action may hold. */
  batchLimit: number;
  /** Null where the text is no private key (32 bytes in hex, `0x` optional). The key is never shown again. */
  signerOf(privateKey: string): Signer | null;
  /** Posts exactly these bytes, once. A batch keeps its accepted items beside refused ones. */
  post(body: string, limits: PostLimits): Promise<Answer<Posted>>;

  /** Known for minutes, asked anew for a name not among them; `absent` for a name the venue does not know. */
  asset(coin: string, limits?: CallLimits): Promise<Lookup<Asset>>;
  /** Every asset of a dex, delisted ones too; `spot` for the spot pairs. */
  assets(dex?: string, limits?: CallLimits): Promise<Lookup<Asset[]>>;
  /** Names of the builder dexes beside the venue's own. */
  dexes(limits?: CallLimits): Promise<Lookup<string[]>>;
  markets(dex?: string, limits?: CallLimits): Promise<Lookup<Market[]>>;
  /** Mid prices by coin. */
  mids(dex?: string, limits?: CallLimits): Promise<Lookup<Record<string, string>>>;

  account(user: string, dex?: string, limits?: CallLimits): Promise<Lookup<PerpAccount>>;
  /** The account on the venue's own and every builder dex; unreadable where one of them is. */
  accounts(user: string, limits?: CallLimits): Promise<Lookup<PerpAccount[]>>;
  spotBalances(user: string, limits?: CallLimits): Promise<Lookup<SpotBalance[]>>;
  openOrders(user: string, dex?: string, limits?: CallLimits): Promise<Lookup<OrderView[]>>;
  /** By oid or cloid. `absent` proves little for a busy account: only its last 2,000 orders or so are kept. */
  orderStatus(user: string, name: number | string, limits?: CallLimits): Promise<Lookup<OrderRecord>>;
  /** The newest 2,000 orders at most. */
  historicalOrders(user: string, limits?: CallLimits): Promise<Lookup<OrderRecord[]>>;
  /** The newest 2,000 executions at most, newest first. */
  recentFills(user: string, limits?: CallLimits): Promise<Lookup<Fill[]>>;
  /** Executions of a span of time, oldest first, over as many pages as the venue keeps (10,000 rows). */
  fills(user: string, span: { fromMs: number; toMs?: number }, limits?: CallLimits): Promise<Lookup<Fill[]>>;
  agents(user: string, limits?: CallLimits): Promise<Lookup<Agent[]>>;
  actionBudget(user: string, limits?: CallLimits): Promise<Lookup<ActionBudget>>;
};
