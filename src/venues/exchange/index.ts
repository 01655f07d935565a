import type { VenuePackage } from '../venue.ts';
import * as orders from './orders/http.ts';
import * as portfolio from './portfolio/http.ts';
import { openWallet } from './portfolio/read-model.ts';

/** The exchange. Its traders are wallets, named by their address. */
export const exchange = {
  operations: { ...orders, ...portfolio },
  open: (deps) => ({
    id: 'exvenue',
    recognises: (traderId) => traderId.startsWith('0x'),
    open: async (owner, traderId) => openWallet(deps, owner, traderId.toLowerCase()),
  }),
} satisfies VenuePackage;
