import { absent, accepted, found, rejected } from '../../src/kernel/upstream-result.ts';
import type { Netvenue } from '../../src/venues/network/adapter/types.ts';
import { EARNED } from './money-stage.ts';

let made = 0;

/** The network, which has settled what the trader earned, and creates accounts unless it rejects them. */
export function network(of: {
  rejectsAccounts: boolean;
}): Pick<Netvenue, 'settlements' | 'dashboard' | 'orders' | 'createSubaccount' | 'listSubaccounts' | 'orderStatus'> {
  return {
    orderStatus: async () => absent,
    listSubaccounts: async () => found([]),
    settlements: async () => found([{ startMs: 0, endMs: 1, payoutUsd: EARNED / 100 }]),
    dashboard: async () => absent,
    orders: async () => absent,
    createSubaccount: async () => {
      if (of.rejectsAccounts) return rejected('said_no', 'No.');
      made += 1;
      return accepted({
        subaccountId: made,
        subaccountUuid: `uuid_${made}`,
        syntheticHotkey: `entity_${made}`,
        assetClass: 'crypto',
        accountSize: 1_000,
        status: 'active',
        createdMs: null,
        exAddress: null,
      });
    },
  };
}
