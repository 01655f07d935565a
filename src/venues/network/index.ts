import { hotkeyOf } from '../../kernel/ids.ts';
import type { VenuePackage } from '../venue.ts';
import * as orders from './orders/http.ts';
import { openSubaccount } from './portfolio/read-model.ts';

/** The network. Its traders are subaccounts, named by their number at the platform's entity. */
export const network = {
  operations: orders,
  open: (deps) => ({
    id: 'netvenue',
    recognises: (traderId) => /^\d+$/.test(traderId),
    open: (owner, traderId) =>
      openSubaccount(deps, owner, hotkeyOf(deps.config.NETVENUE_ENTITY_HOTKEY, Number(traderId))),
  }),
} satisfies VenuePackage;
