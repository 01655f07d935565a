import { eachInTurn } from '../../../db/polling.ts';
import { findWalletLink, listUnseenWallets } from '../subaccounts/queries.ts';
import { readLinked } from './links.ts';
import type { PortfolioDeps } from './read-model.ts';

const MOST_UNSEEN = 10; // per run: each may take as long as a read of the network

/** Reads bought accounts that nobody has asked for since they were bought: once eliminated, the network would not show them any more. */
export const seeBoughtAccounts = async (deps: Pick<PortfolioDeps, 'db' | 'reads'>): Promise<void> =>
  eachInTurn(await listUnseenWallets(deps.db, MOST_UNSEEN), async ({ owner, wallet }) =>
    readLinked(deps, wallet, await findWalletLink(deps.db, owner, wallet)),
  );
