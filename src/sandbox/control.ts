import { type Faults, readFault } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Route } from './upstream.ts';

/** Control routes of every sandbox upstream: read the ledger (`?after=seq`), add a scripted fault, clear all faults. */
export const controlRoutes = (ledger: Ledger, faults: Faults): Route[] => [
  {
    method: 'GET',
    path: '/control/ledger',
    response: ({ query }) => ({ status: 200, body: ledger.entries(Number(query.get('after') ?? 0)) }),
  },
  {
    method: 'POST',
    path: '/control/faults',
    response: ({ json }) => {
      const fault = readFault(json);
      if (fault) faults.add(fault);
      return fault ? { status: 200, body: fault } : { status: 400, body: { error: 'not a fault' } };
    },
  },
  {
    method: 'DELETE',
    path: '/control/faults',
    response: () => {
      faults.clear();
      return { status: 200, body: { cleared: true } };
    },
  },
];
