import { dividedBy, isPositive } from '../../kernel/decimals.ts';
import { controlRoutes } from '../control.ts';
import { scriptedFaults } from '../faults.ts';
import { type Ledger, openLedger } from '../ledger.ts';
import { type Files, openMemory } from '../memory.ts';
import { makeOlder } from '../older.ts';
import { type Listening, type SteeredUpstream, startUpstream } from '../upstream.ts';
import { approveAgent } from './agents.ts';
import { end, isOpen, take } from './book.ts';
import { type CoinOption, listed, usualCoins } from './coins.ts';
import { controls } from './controls.ts';
import { exchangeRoute } from './exchange.ts';
import { infoRoute } from './info.ts';
import { liquidate } from './liquidate.ts';
import { openNews } from './news.ts';
import { payFunding } from './positions.ts';
import { setMid } from './prices.ts';
import { type UserStream, userStream } from './stream.ts';
import { viewOf } from './view.ts';
import { type Account, accountOf, deposit, type Surroundings, type World } from './world.ts';

export { magicSizes } from './magic.ts';

/** Options of the exchange. Times are in milliseconds; see `Listening` for the address. */
export type ExvenueUpstreamOptions = Files &
  Listening & {
    network?: World['network'];
    coins?: readonly CoinOption[];
    /** Initial balance in USD of every wallet that reads or signs. With it, every signer has a known account. */
    autoFund?: string;
    /** Number of actions that an account may send before it has traded. */
    actionBudget?: number;
    /** How long the exchange waits before it processes an action. */
    processingMs?: number;
  };

/** A running exchange. `url` is the base URL of its API. */
export type ExvenueUpstream = SteeredUpstream & {
  /** Sets a mid price, fills and triggers the orders it reaches. False for an unknown coin or an invalid price. */
  setMid(coin: string, px: string): boolean;
  /** Settles the funding of a coin at a rate for every position. False for an unknown coin. */
  payFunding(coin: string, rate: string): boolean;
  /** Sets the maximum fill of a taker at once; null: unlimited. */
  setLiquidity(coin: string, size: string | null): void;
  /** Lets reads show a state that is up to `ms` old, one of `replicas` that are behind independently; 0 shows the present. */
  setBehind(ms: number, replicas?: number): void;
  /** Ends an open order as the venue does by itself, with one of its statuses; its waiting exits end too. False without one. */
  endOrder(address: string, cloid: string, status: string): boolean;
  /** Fills half of an order that rests in the book at the mid price, as somebody may take it. False without one. */
  fillPart(address: string, cloid: string): boolean;
  /** Liquidates the position of a wallet in a coin, and ends all of its orders. False without one. */
  liquidate(address: string, coin: string): boolean;
  /** Whether a wallet has an open order of this client order id. */
  hasOpen(address: string, cloid: string): boolean;
  /** Sets how an account holds its collateral. See venues/exchange.md#collateral. */
  setMode(address: string, mode: NonNullable<Account['mode']>): void;
  fund(address: string, usd: string, dex?: string): void;
  /** Lets a key trade for a wallet until `validUntilMs` (epoch ms). A time in the past revokes it. */
  approveAgent(wallet: string, agent: string, name?: string, validUntilMs?: number): void;
  /** The stream of user events. */
  stream: Omit<UserStream, 'connect'>;
};

/** See venues/exchange.md#transport. */
const FIRST_OID = 543_846_000_000;
const FIRST_TID = 7_000_000_000;
/** See venues/exchange.md#rate-limits. */
const ACTION_BUDGET = 10_000;

/** Simulates the exchange. Without files its state is lost with the process. */
export const startExvenueUpstream = async (options: ExvenueUpstreamOptions = {}): Promise<ExvenueUpstream> => {
  const ledger = openLedger('exvenue', options.ledgerFile);
  const faults = scriptedFaults();
  const memory = openMemory<Omit<World, Surroundings>>(options.stateFile);
  const world = { ...newWorld(options, ledger), ...memory.recalled };
  const view = viewOf(world);
  const stream = userStream(world);
  const advance = (ms: number) =>
    makeOlder(
      [...world.accounts.values()].map(({ agents }) => agents),
      /^validUntil$/,
      ms,
    );
  const venue = [exchangeRoute(world, options.processingMs ?? 0), infoRoute(world, view)];
  const { url, close } = await startUpstream(
    options,
    [...venue, ...controlRoutes(ledger, faults, advance), ...controls(world, view, stream)],
    faults,
    () => memory.keep(() => knownOf(world)),
    stream.connect,
  );
  return {
    url,
    controlUrl: `${url}/control`,
    ledger,
    faults,
    setMid: (coin, px) => setMid(world, coin, px),
    payFunding: (coin, rate) => payFunding(world, coin, rate),
    setLiquidity: (name, size) => {
      const coin = world.coins.get(name);
      if (coin) coin.liquidity = size;
    },
    setBehind: view.setBehind,
    hasOpen: (address, cloid) => openOrder(world, address, cloid) !== null,
    endOrder: (address, cloid, status) => {
      const order = openOrder(world, address, cloid);
      if (!order) return false;
      end(world, order, status);
      return true;
    },
    fillPart: (address, cloid) => {
      const order = openOrder(world, address, cloid);
      const half = order && dividedBy(order.size, '2', order.coin.sizeDecimals, 'down');
      if (!order?.live || (order.trigger && !order.fired) || !half || !isPositive(half)) return false;
      take(world, order, false, half);
      return true;
    },
    liquidate: (address, coin) => liquidate(world, address.toLowerCase(), coin),
    setMode: (address, mode) => {
      accountOf(world, address.toLowerCase()).mode = mode;
    },
    fund: (address, usd, dex) => deposit(accountOf(world, address.toLowerCase()), usd, dex),
    approveAgent: (wallet, agent, name, validUntilMs) => approveAgent(world, wallet, agent, name, validUntilMs),
    stream,
    async close() {
      stream.cut();
      await close();
    },
  };
};

const openOrder = (world: World, address: string, cloid: string) => {
  const order = accountOf(world, address.toLowerCase()).byCloid.get(cloid);
  return order && isOpen(order) ? order : null;
};

const knownOf = ({ ledger: _, news: __, ...known }: World): Omit<World, Surroundings> => known;

const newWorld = (
  { network = 'testnet', coins = usualCoins, autoFund, actionBudget = ACTION_BUDGET }: ExvenueUpstreamOptions,
  ledger: Ledger,
): World => {
  const all = listed(coins);
  return {
    network,
    autoFund: autoFund ?? null,
    actionBudget,
    ledger,
    news: openNews(),
    coins: new Map(all.map((coin) => [coin.name, coin])),
    coinsById: new Map(all.map((coin) => [coin.id, coin])),
    accounts: new Map(),
    masters: new Map(),
    nonces: new Map(),
    live: new Map(),
    nextOid: FIRST_OID,
    nextTid: FIRST_TID,
    throttled: 0,
    postOnly: false,
  };
};
