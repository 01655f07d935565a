import { getAddress } from 'viem';
import { controlRoutes } from '../control.ts';
import { scriptedFaults } from '../faults.ts';
import { openLedger } from '../ledger.ts';
import { type Files, openMemory } from '../memory.ts';
import { makeOlder } from '../older.ts';
import { type Listening, type SteeredUpstream, startUpstream } from '../upstream.ts';
import { openBookChain, type Transfers } from './book-chain.ts';
import type { PayChain, Token } from './chain.ts';
import { registerRoute } from './register.ts';
import { viewRoutes } from './views.ts';
import type { Earlier, SoldTier, World } from './world.ts';

/** Options of the registrar. Times are in milliseconds; see `Listening` for the address. */
export type RegistrarUpstreamOptions = Files &
  Listening & {
    /** A real chain and its JSON-RPC URL. Without one, a simulated chain with the same rules is served at `/chain`. */
    chain?: PayChain & { url: string };
    tiers?: readonly SoldTier[];
    /** Whether a payment requires a proof of wallet ownership, as at the real registrar. */
    wantsProof?: boolean;
    /** Delay after which the miner creates an account that it rejected at first. */
    miningMs?: number;
    /** How long a new account is not visible. */
    invisibleMs?: number;
    /** Has an account that was sold created at the network; without it there is none. */
    create?: World['create'];
  };

/** A running registrar. `settings` point the service at it. */
export type RegistrarUpstream = SteeredUpstream & {
  settings: Record<string, string>;
  minerSlug: string;
  payTo: string;
  /** The account of an address, in the place of any sold here: `active` or `pending` by another miner, or one that has ended. */
  setEarlier(address: string, status: Earlier): void;
};

const MINER = 'vanta';
const PAY_TO = getAddress('0x0000000000000000000000000000000000feed00');
const TIERS: readonly SoldTier[] = [
  { accountSize: 5_000, priceUsdc: '49' },
  { accountSize: 25_000, priceUsdc: '119' },
  { accountSize: 100_000, priceUsdc: '399' },
];
const TOKEN: Token = {
  name: 'USD Coin',
  version: '2',
  chainId: 8453,
  verifyingContract: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
};
const START_UNITS = 1_000_000n * 1_000_000n; // every address starts with 1,000,000 USD

type WorldParts = Pick<World, 'rows' | 'proofs'> & { transfers: Transfers };

/** Simulates the registrar and its facilitator. Without files its state is lost with the process. */
export const startRegistrarUpstream = async (options: RegistrarUpstreamOptions = {}): Promise<RegistrarUpstream> => {
  const ledger = openLedger('registrar', options.ledgerFile);
  const faults = scriptedFaults();
  const memory = openMemory<WorldParts>(options.stateFile);
  const book = options.chain
    ? null
    : openBookChain(ledger, { token: TOKEN, startUnits: START_UNITS }, memory.recalled?.transfers);
  const chain = options.chain ?? (book as PayChain); // as: one of the two is set
  const world: World = {
    chain,
    ledger,
    faults,
    minerSlug: MINER,
    payTo: PAY_TO,
    tiers: options.tiers ?? TIERS,
    wantsProof: options.wantsProof ?? true,
    miningMs: options.miningMs ?? 1_000,
    invisibleMs: options.invisibleMs ?? 0,
    create: options.create ?? (() => {}),
    rows: memory.recalled?.rows ?? new Map(),
    proofs: memory.recalled?.proofs ?? new Set(),
    earlier: new Map(),
  };
  const routes = [registerRoute(world), ...viewRoutes(world), ...(book ? [book.route] : [])];
  const { rows, proofs } = world;
  const keep = () => memory.keep(() => ({ rows, proofs, transfers: book?.transfers ?? new Map() }));
  const all = [...routes, ...controlRoutes(ledger, faults, (ms) => makeOlder(rows, /^writtenMs$/, ms))];
  const { url, close } = await startUpstream(options, all, faults, keep);
  return {
    url,
    controlUrl: `${url}/control`,
    settings: {
      REGISTRAR_URL: url,
      REGISTRAR_CHAIN_URL: options.chain?.url ?? `${url}/chain`,
      REGISTRAR_NETWORK: `eip155:${chain.token.chainId}`,
      REGISTRAR_ASSET: chain.token.verifyingContract,
    },
    minerSlug: MINER,
    payTo: PAY_TO,
    setEarlier(address, status) {
      world.rows.delete(address.toLowerCase());
      world.earlier.set(address.toLowerCase(), status);
    },
    ledger,
    faults,
    close,
  };
};
