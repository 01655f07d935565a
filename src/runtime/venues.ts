import type { Logger } from 'pino';
import { isTradeable } from '../capabilities/accounts/prop/queries.ts';
import { findAppEntity, findNetworkIdentity } from '../capabilities/apps/queries.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/pool.ts';
import { entityOf, type Hotkey, type OwnerId, type WalletAddress } from '../kernel/ids.ts';
import type { Sealer } from '../kernel/seal.ts';
import type { OrderChecks } from '../venues/checks.ts';
import { findBalance } from '../venues/exchange/portfolio/read-model.ts';
import { VENUES } from '../venues/index.ts';
import type { Dashboard, Netvenue } from '../venues/network/adapter/types.ts';
import { noticeMissingExits } from '../venues/network/orders/commands.ts';
import { linkedAccounts } from '../venues/network/portfolio/links.ts';
import { findExchangeViolation, findNetworkViolation, findSuccessor } from '../venues/network/portfolio/violation.ts';
import { findWalletLink } from '../venues/network/subaccounts/queries.ts';
import type { VenueReads } from '../venues/reads.ts';
import type { Venue, VenueDeps } from '../venues/venue.ts';
import type { Upstreams } from './upstreams.ts';

/**
 * The network: the platform's miner, and the miners of tenants with their own network identity. They share one
 * validator.
 */
export type NetworkEntities = {
  netvenue: Netvenue;
  /** The entity under which an owner's subaccounts are created. */
  entityOf(owner: OwnerId): Promise<Hotkey>;
  /** The miner of an entity; null if we have no key for it. */
  of(entityHotkey: Hotkey): Promise<Netvenue | null>;
  /** The miner of a subaccount's entity; null if we have no key for it. */
  ofTrader(syntheticHotkey: Hotkey): Promise<Netvenue | null>;
};

/**
 * Finds the miner of an entity or a trader, and the entity of an owner. Tenant keys are opened on use and not cached.
 */
export function networkEntities(
  platform: Netvenue,
  { config, upstreams, db, sealer }: { config: Config; upstreams: Pick<Upstreams, 'netvenue'>; db: Db; sealer: Sealer },
): NetworkEntities {
  const of = async (entityHotkey: Hotkey) => {
    if (entityHotkey === config.NETVENUE_ENTITY_HOTKEY) return platform;
    const identity = await findNetworkIdentity({ db, sealer }, entityHotkey);
    return identity && upstreams.netvenue(identity);
  };
  return {
    netvenue: platform,
    entityOf: async (owner) => (await findAppEntity(db, owner)) ?? config.NETVENUE_ENTITY_HOTKEY,
    of,
    ofTrader: (syntheticHotkey) => of(entityOf(syntheticHotkey)),
  };
}

/** The checks of this process's orders, by the capabilities that know the rules. */
export const orderChecks = (db: Db, reads: VenueReads): OrderChecks => ({
  findNetworkViolation: (trader, order) => findNetworkViolation(reads, trader, order),
  findSuccessor: (tradePair) => findSuccessor(reads, tradePair),
  findExchangeViolation: async (owner, wallet) =>
    findExchangeViolation({ db, reads }, wallet, await findWalletLink(db, owner, wallet)),
  isTradeable: (propAccountId) => isTradeable(db, propAccountId),
});

/** Every venue, opened on this process's reads, and what portfolios at the network are read from. */
export function openVenues({ db, reads, config }: Pick<VenueDeps, 'db' | 'reads' | 'config'>) {
  const network = { db, reads, exBalance: (wallet: WalletAddress | null) => findBalance(reads, wallet) };
  const links = linkedAccounts(network);
  return { network, venues: VENUES.map(({ open }): Venue => open({ ...network, links, config })) };
}

/** Looks at every dashboard that a web process reads for exits that are missing. If it fails, the next turn compares them. */
export const noticing = (db: Db, log: Pick<Logger, 'warn'>) => (trader: Hotkey, shown: Dashboard) =>
  void noticeMissingExits(db, trader, shown).catch((err) => log.warn({ err }, 'could not look at exits'));
