import type { Handlers } from '../contract/handler.ts';
import type { components } from '../contract/types.ts';
import type { Db } from '../db/pool.ts';
import type { OwnerId, WalletAddress } from '../kernel/ids.ts';
import type { Links } from './links.ts';
import type { Portfolio } from './portfolio.ts';
import type { VenueReads } from './reads.ts';

/** A venue: all that the rest of the service has to do with it. Another venue is one more of these. */
export type Venue = {
  /** Its name in the contract, in paths and in `intent_kinds`. */
  id: components['schemas']['Venue'];
  /** Whether a Trader-ID has the form of its traders' ids. No id has the form of two venues. */
  recognises(traderId: string): boolean;
  /** The portfolio of a trader. Throws V1_TRADER_UNKNOWN for a trader that the owner does not have. */
  open(owner: OwnerId, traderId: string): Promise<Portfolio>;
};

/** What a venue opens its portfolios from. `links` and `exBalance` are what venues know of each other's traders. */
export type VenueDeps = {
  db: Db;
  reads: VenueReads;
  config: { NETVENUE_ENTITY_HOTKEY: string };
  links: Links;
  /** The balance of a wallet at the exchange; null without a wallet, or if it cannot be read. */
  exBalance(wallet: WalletAddress | null): Promise<string | null>;
};

/** A venue as code: what its folder exports. */
export type VenuePackage = {
  /** The handlers of the operations that are of this venue alone. */
  operations: Partial<Handlers<never>>;
  open(deps: VenueDeps): Venue;
};
