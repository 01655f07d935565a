import { isTradeable } from '../capabilities/accounts/prop/queries.ts';
import { findWalletLink } from '../capabilities/portfolio/queries.ts';
import { findExchangeViolation, findNetworkViolation } from '../capabilities/portfolio/trades/read-model.ts';
import type { Db } from '../db/pool.ts';
import type { OrderChecks } from '../venues/checks.ts';
import type { VenueReads } from '../venues/reads.ts';

/** The checks of this process's orders, by the capabilities that know the rules. */
export const orderChecks = (db: Db, reads: VenueReads): OrderChecks => ({
  findNetworkViolation: (trader, order) => findNetworkViolation(reads, trader, order),
  findExchangeViolation: async (owner, wallet) =>
    findExchangeViolation(reads, wallet, await findWalletLink(db, owner, wallet)),
  isTradeable: (propAccountId) => isTradeable(db, propAccountId),
});
