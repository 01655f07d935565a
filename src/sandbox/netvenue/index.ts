import { controlRoutes } from '../control.ts';
import { type Faults, scriptedFaults } from '../faults.ts';
import { type Ledger, openLedger } from '../ledger.ts';
import { type Files, openMemory } from '../memory.ts';
import { startParty } from '../party.ts';
import { createAccount } from './accounts.ts';
import { controls } from './controls.ts';
import { openEntities } from './entities.ts';
import { minerRoutes } from './miner.ts';
import { registry } from './pairs.ts';
import { setPrice } from './prices.ts';
import { validatorRoutes } from './validator.ts';
import type { World } from './world.ts';

export { magicLeverages } from './magic.ts';

/** How the network party behaves. Times in milliseconds; port 0 takes a free one. */
export type NetvenuePartyOptions = Files & {
  port?: number;
  minerKey: string;
  validatorKey: string;
  entityHotkey: string;
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

/**
 * Plays the entity miner and the validator of one entity, and of any other whose miner is called with the key
 * `<minerKey>:<entity>`; without memory beyond its process unless it has files for it.
 */
export const startNetvenueParty = async (options: NetvenuePartyOptions): Promise<NetvenueParty> => {
  const { port = 0, validatorKey, processingMs = 0 } = options;
  const ledger = openLedger('netvenue', options.ledgerFile);
  const faults = scriptedFaults();
  const memory = openMemory<Known[]>(options.stateFile);
  const known = (memory.recalled ?? []).map((world) => ({ ...world, ledger }));
  const { pairs, closedMarkets } = known[0] ?? { pairs: registry(), closedMarkets: new Set<string>() };
  const entities = openEntities(options, known, (entityHotkey) =>
    newWorld({ ...options, entityHotkey }, { pairs, closedMarkets }, ledger),
  );
  const keep = () => memory.keep(() => entities.all().map(({ ledger: _, ...world }) => world));
  const venue = [...minerRoutes(entities, processingMs), ...validatorRoutes(entities, validatorKey)];
  const control = [...controlRoutes(ledger, faults), ...controls(entities)];
  const { url, close } = await startParty(port, [...venue, ...control], faults, keep);
  return {
    minerUrl: `${url}/miner`,
    validatorUrl: `${url}/validator`,
    controlUrl: `${url}/control`,
    ledger,
    faults,
    setPrice: (pair, price) => setPrice(entities.all(), pair, price),
    addSubaccounts: (count, asked) => addSubaccounts(entities.first, count, asked),
    close,
  };
};

type Known = Omit<World, 'ledger'>;

const newWorld = (
  { entityHotkey, cooldownMs = 5_000, activationMs = 0 }: NetvenuePartyOptions,
  market: Pick<World, 'pairs' | 'closedMarkets'>,
  ledger: Ledger,
): World => ({
  entityHotkey,
  cooldownMs,
  activationMs,
  ledger,
  accounts: new Map(),
  byAddress: new Map(),
  ...market,
  claimed: new Set(),
  resting: new Map(),
  seen: new Set(),
  archive: { completed: new Map(), failed: new Map() },
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
