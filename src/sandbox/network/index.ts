import { controlRoutes } from '../control.ts';
import { scriptedFaults } from '../faults.ts';
import { type Ledger, openLedger } from '../ledger.ts';
import { type Files, openMemory } from '../memory.ts';
import { type Listening, type SteeredUpstream, startUpstream } from '../upstream.ts';
import { createAccount } from './accounts.ts';
import { advanceNetwork } from './advance.ts';
import { minerAttempts } from './attempts.ts';
import { controls } from './controls.ts';
import { openEntities } from './entities.ts';
import { minerRoutes, type Outstanding, type Processing } from './miner.ts';
import { registry } from './pairs.ts';
import { setPrice } from './prices.ts';
import { validatorRoutes } from './validator.ts';
import type { Style, World } from './world.ts';

export { magicLeverages } from './magic.ts';

/** Options of the network. Times are in milliseconds; see `Listening` for the address. */
export type NetvenueUpstreamOptions = Files &
  Listening & {
    minerKey: string;
    validatorKey: string;
    entityHotkey: string;
    /** How long a new subaccount stays pending. */
    activationMs?: number;
    /** Minimum time between two market orders of one subaccount and pair. */
    cooldownMs?: number;
    /** How long the miner takes for an order; of a span, each order takes a time of its own, and of a function its result. */
    processingMs?: Processing;
    /** How many requests the miner works on at once; others wait in order of arrival, even if their caller disconnects. */
    threads?: number;
    /** How many signals of one subaccount the validator takes in a minute; by default any number. */
    signalsPerMin?: number;
    /** How long a pause between two attempts of the miner takes; it is always reported as the 5 s of the real one. */
    pauseMs?: number;
    /** Draws of each attempt of the miner whether its acknowledgement is lost; by default none is. */
    isAcknowledgementLost?: () => boolean;
    /** The generation of the network, by default the older one. */
    style?: Style;
  };

/** A running network. `minerUrl`, `validatorUrl` and `controlUrl` are base URLs on the same port. */
export type NetvenueUpstream = Omit<SteeredUpstream, 'url'> & {
  minerUrl: string;
  validatorUrl: string;
  /** Sets a price and fills the resting orders it reaches. False for an unknown pair or an invalid price. */
  setPrice(pair: string, price: number): boolean;
  /** The most requests and look-ups that one miner has had at once, those included that waited for a thread. */
  mostAtOnce(): number;
  /** The most requests that may change something that one miner has had at once, those included that waited for a thread. */
  mostRequests(): number;
  /** The most look-ups that one miner has had at once, those included that waited for a thread. */
  mostLookUps(): number;
  /** How often the validator has rejected a signal for its limit. */
  rateLimited(): number;
  /** The acknowledgements of the miner's next `times` attempts are lost: the validator acts, and the miner tries again. */
  loseAcknowledgements(times: number): void;
  /** Lets the miners take up no request until the returned function is called; then they execute all that have come. */
  hang(): () => void;
  /** Creates `count` subaccounts of one class and size without requests, pending unless `active`. Returns their ids. */
  addSubaccounts(count: number, requested?: { assetClass?: string; size?: number; active?: boolean }): number[];
};

/**
 * Simulates the miner and the validator of one entity, and of any other entity whose miner is called with the key
 * `<minerKey>:<entity>`. Without files its state is lost with the process.
 */
export const startNetvenueUpstream = async (options: NetvenueUpstreamOptions): Promise<NetvenueUpstream> => {
  const { validatorKey, processingMs = 0, threads = Number.POSITIVE_INFINITY } = options;
  const { signalsPerMin = Number.POSITIVE_INFINITY, pauseMs, isAcknowledgementLost: isLost } = options;
  const attempts = minerAttempts({
    perMinute: signalsPerMin,
    ...(pauseMs !== undefined && { waitMs: pauseMs }),
    ...(isLost && { isLost }),
  });
  const ledger = openLedger('netvenue', options.ledgerFile);
  const faults = scriptedFaults();
  const memory = openMemory<WorldParts[]>(options.stateFile);
  const known = (memory.recalled ?? []).map((world) => ({ ...world, style: options.style ?? '2025', ledger }));
  const { pairs, closedMarkets } = known[0] ?? { pairs: registry(), closedMarkets: new Set<string>() };
  const entities = openEntities(options, known, (entityHotkey) =>
    newWorld({ ...options, entityHotkey }, { pairs, closedMarkets }, ledger),
  );
  const keep = () => memory.keep(() => entities.all().map(({ ledger: _, ...world }) => world));
  const advance = (ms: number) => {
    for (const world of entities.all()) advanceNetwork(world, ms);
  };
  const most = { all: 0, requests: 0, lookUps: 0 };
  const onRequest = ({ requests, lookUps }: Outstanding) => {
    most.all = Math.max(most.all, requests + lookUps);
    most.requests = Math.max(most.requests, requests);
    most.lookUps = Math.max(most.lookUps, lookUps);
  };
  const miners = minerRoutes(entities, { processingMs, threads, attempts }, onRequest);
  const venue = [...miners.routes, ...validatorRoutes(entities, validatorKey)];
  const control = [...controlRoutes(ledger, faults, advance), ...controls(entities)];
  const { url, close } = await startUpstream(options, [...venue, ...control], faults, keep);
  return {
    minerUrl: `${url}/miner`,
    validatorUrl: `${url}/validator`,
    controlUrl: `${url}/control`,
    ledger,
    faults,
    setPrice: (pair, price) => setPrice(entities.all(), pair, price),
    mostAtOnce: () => most.all,
    mostRequests: () => most.requests,
    mostLookUps: () => most.lookUps,
    rateLimited: attempts.rejections,
    loseAcknowledgements: attempts.loseAcknowledgements,
    hang: miners.hang,
    addSubaccounts: (count, requested) => addSubaccounts(entities.first, count, requested),
    close,
  };
};

type WorldParts = Omit<World, 'ledger'>;

const newWorld = (
  { entityHotkey, cooldownMs = 5_000, activationMs = 0, style = '2025' }: NetvenueUpstreamOptions,
  market: Pick<World, 'pairs' | 'closedMarkets'>,
  ledger: Ledger,
): World => ({
  entityHotkey,
  cooldownMs,
  activationMs,
  style,
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
