import { getAddress } from 'viem';
import { controlRoutes } from '../control.ts';
import { type Faults, scriptedFaults } from '../faults.ts';
import { type Ledger, openLedger } from '../ledger.ts';
import { type Files, openMemory } from '../memory.ts';
import { startParty } from '../party.ts';
import { openBookChain, type Transfers } from './book-chain.ts';
import type { PayChain, Token } from './chain.ts';
import { registerRoute } from './register.ts';
import { viewRoutes } from './views.ts';
import type { SoldTier, World } from './world.ts';

/** How the registrar behaves. Times in milliseconds; port 0 takes a free one. */
export type RegistrarPartyOptions = Files & {
  port?: number;
  /** A real chain and the address its JSON-RPC listens on; without one a book with the same rules, below `/chain`. */
  chain?: PayChain & { url: string };
  tiers?: readonly SoldTier[];
  /** Whether a payment must come with a proof of the wallet, as it must at the real one. */
  wantsProof?: boolean;
  /** After how long the miner makes an account it has refused. */
  miningMs?: number;
  /** For how long a fresh account does not show. */
  hiddenMs?: number;
};

/** A running registrar. `settings` point the service at it. */
export type RegistrarParty = {
  url: string;
  controlUrl: string;
  settings: Record<string, string>;
  minerSlug: string;
  payTo: string;
  ledger: Ledger;
  faults: Faults;
  close(): Promise<void>;
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
const START_UNITS = 1_000_000n * 1_000_000n; // a million dollars for everyone

type Known = Pick<World, 'rows' | 'proofs'> & { transfers: Transfers };

/** Plays the registrar with its facilitator, without memory beyond its process unless it has files for it. */
export const startRegistrarParty = async (options: RegistrarPartyOptions = {}): Promise<RegistrarParty> => {
  const ledger = openLedger('registrar', options.ledgerFile);
  const faults = scriptedFaults();
  const memory = openMemory<Known>(options.stateFile);
  const book = options.chain
    ? null
    : openBookChain(ledger, { token: TOKEN, startUnits: START_UNITS }, memory.recalled?.transfers);
  const chain = options.chain ?? (book as PayChain); // as: one of the two is there
  const world: World = {
    chain,
    ledger,
    faults,
    minerSlug: MINER,
    payTo: PAY_TO,
    tiers: options.tiers ?? TIERS,
    wantsProof: options.wantsProof ?? true,
    miningMs: options.miningMs ?? 1_000,
    hiddenMs: options.hiddenMs ?? 0,
    rows: memory.recalled?.rows ?? new Map(),
    proofs: memory.recalled?.proofs ?? new Set(),
  };
  const routes = [registerRoute(world), ...viewRoutes(world), ...(book ? [book.route] : [])];
  const { rows, proofs } = world;
  const keep = () => memory.keep(() => ({ rows, proofs, transfers: book?.transfers ?? new Map() }));
  const all = [...routes, ...controlRoutes(ledger, faults)];
  const { url, close } = await startParty(options.port ?? 0, all, faults, keep);
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
    ledger,
    faults,
    close,
  };
};
