import { controlRoutes } from '../control.ts';
import { type Faults, scriptedFaults } from '../faults.ts';
import { type Ledger, openLedger } from '../ledger.ts';
import { startParty } from '../party.ts';
import { createAccount } from './accounts.ts';
import { controls } from './controls.ts';
import { minerRoutes } from './miner.ts';
import { registry } from './pairs.ts';
import { setPrice } from './prices.ts';
import { validatorRoutes } from './validator.ts';
import type { World } from './world.ts';

export { magicLeverages } from './magic.ts';

/** How the network party behaves. Times in milliseconds; port 0 takes a free one. */
export type NetvenuePartyOptions = {
  port?: number;
  minerKey: string;
  validatorKey: string;
  entityHotkey: string;
  /** A JSON-lines file that outlives the process. */
  ledgerFile?: string;
  /** How long a new subaccount is pending. */
  activationMs?: number;
  /** The pause the venue wants between two market orders of one subaccount and pair. */
  cooldownMs?: number;
  /** How long the miner takes over an order before anything happens. */
  processingMs?: number;
};

/** A running party. `minerUrl` and `validatorUrl` are base addresses on the same port, `controlUrl` is above both. */
export type NetvenueParty = {
  minerUrl: string;
  validatorUrl: string;
  controlUrl: string;
  ledger: Ledger;
  faults: Faults;
  /** Fills what rests and is reached. False for an unknown pair or no price. */
  setPrice(pair: string, price: number): boolean;
  /** Makes so many subaccounts of one class and size without a request each, pending unless `active`; returns their ids. */
  addSubaccounts(count: number, asked?: { assetClass?: string; size?: number; active?: boolean }): number[];
  close(): Promise<void>;
};

/** Plays the entity miner and the validator of one entity, without memory beyond its process but for the ledger. */
export const startNetvenueParty = async (options: NetvenuePartyOptions): Promise<NetvenueParty> => {
  const { port = 0, minerKey, validatorKey, processingMs = 0 } = options;
  const ledger = openLedger('netvenue', options.ledgerFile);
  const faults = scriptedFaults();
  const world = newWorld(options, ledger);
  const miner = minerRoutes(world, { minerKey, processingMs });
  const venue = [...miner.routes, ...validatorRoutes(world, validatorKey)];
  const control = [...controlRoutes(ledger, faults), ...controls(world, miner.forget)];
  const { url, close } = await startParty(port, [...venue, ...control], faults);
  return {
    minerUrl: `${url}/miner`,
    validatorUrl: `${url}/validator`,
    controlUrl: `${url}/control`,
    ledger,
    faults,
    setPrice: (pair, price) => setPrice(world, pair, price),
    addSubaccounts: (count, asked) => addSubaccounts(world, count, asked),
    close,
  };
};

const newWorld = (
  { entityHotkey, cooldownMs = 5_000, activationMs = 0 }: NetvenuePartyOptions,
  ledger: Ledger,
): World => ({
  entityHotkey,
  cooldownMs,
  activationMs,
  ledger,
  accounts: new Map(),
  byAddress: new Map(),
  pairs: registry(),
  closedMarkets: new Set(),
  claimed: new Set(),
  resting: new Map(),
});

const addSubaccounts = (
  world: World,
  count: number,
  { assetClass = 'crypto', size = 10_000, active = false } = {},
): number[] =>
  Array.from({ length: count }, () => {
    const account = createAccount(world, { assetClass, size, exAddress: null, payoutAddress: null });
    if (typeof account === 'string') throw new Error(account);
    if (active) account.activeFromMs = account.createdMs;
    return account.id;
  });
