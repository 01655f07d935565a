import { controlRoutes } from '../control.ts';
import { type Faults, scriptedFaults } from '../faults.ts';
import { type Ledger, openLedger } from '../ledger.ts';
import { type Files, openMemory } from '../memory.ts';
import { startParty } from '../party.ts';
import { approveAgent } from './agents.ts';
import { type CoinOption, listed, usualCoins } from './coins.ts';
import { controls } from './controls.ts';
import { exchangeRoute } from './exchange.ts';
import { infoRoute } from './info.ts';
import { setMid } from './prices.ts';
import { accountOf, deposit, type World } from './world.ts';

export { magicSizes } from './magic.ts';

/** How the exchange behaves. Times in milliseconds; port 0 takes a free one. */
export type ExvenuePartyOptions = Files & {
  port?: number;
  network?: World['network'];
  coins?: readonly CoinOption[];
  /** Every wallet that asks or signs has this many USD from the start; then no signer is a stranger. */
  autoFund?: string;
  /** How many actions an account may make before it has traded anything. */
  actionBudget?: number;
  /** How long the exchange takes over an action before anything happens. */
  processingMs?: number;
};

/** A running exchange. `url` is the base address of its API. */
export type ExvenueParty = {
  url: string;
  controlUrl: string;
  ledger: Ledger;
  faults: Faults;
  /** Fills and triggers what the price reaches. False for an unknown coin or no price. */
  setMid(coin: string, px: string): boolean;
  /** The most a taker gets at once; null for all it wants. */
  setLiquidity(coin: string, size: string | null): void;
  fund(address: string, usd: string, dex?: string): void;
  /** Lets a key trade for a wallet; a time in the past revokes it. */
  approveAgent(wallet: string, agent: string, name?: string, validUntilMs?: number): void;
  close(): Promise<void>;
};

/** Venue facts: numbers of orders, which exceed 32 bits. */
const FIRST_OID = 543_846_000_000;
const FIRST_TID = 7_000_000_000;
/** Venue facts: rate limits, what an address may do before it has traded. */
const ACTION_BUDGET = 10_000;

/** Plays the exchange, without memory beyond its process unless it has files for it. */
export const startExvenueParty = async (options: ExvenuePartyOptions = {}): Promise<ExvenueParty> => {
  const ledger = openLedger('exvenue', options.ledgerFile);
  const faults = scriptedFaults();
  const memory = openMemory<Omit<World, 'ledger'>>(options.stateFile);
  const world = { ...newWorld(options, ledger), ...memory.recalled };
  const venue = [exchangeRoute(world, options.processingMs ?? 0), infoRoute(world)];
  const { url, close } = await startParty(
    options.port ?? 0,
    [...venue, ...controlRoutes(ledger, faults), ...controls(world)],
    faults,
    () => memory.keep(() => knownOf(world)),
  );
  return {
    url,
    controlUrl: `${url}/control`,
    ledger,
    faults,
    setMid: (coin, px) => setMid(world, coin, px),
    setLiquidity: (name, size) => {
      const coin = world.coins.get(name);
      if (coin) coin.liquidity = size;
    },
    fund: (address, usd, dex) => deposit(accountOf(world, address.toLowerCase()), usd, dex),
    approveAgent: (wallet, agent, name, validUntilMs) => approveAgent(world, wallet, agent, name, validUntilMs),
    close,
  };
};

const knownOf = ({ ledger: _, ...known }: World): Omit<World, 'ledger'> => known;

const newWorld = (
  { network = 'testnet', coins = usualCoins, autoFund, actionBudget = ACTION_BUDGET }: ExvenuePartyOptions,
  ledger: Ledger,
): World => {
  const all = listed(coins);
  return {
    network,
    autoFund: autoFund ?? null,
    actionBudget,
    ledger,
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
