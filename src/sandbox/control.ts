import { type Faults, readFault } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Route } from './party.ts';

/** What every party offers to tests: its ledger (`?after=seq`), and scripting and clearing of its faults. */
export const controlRoutes = (ledger: Ledger, faults: Faults): Route[] => [
  {
    method: 'GET',
    path: '/control/ledger',
    answer: ({ query }) => ({ status: 200, body: ledger.entries(Number(query.get('after') ?? 0)) }),
  },
  {
    method: 'POST',
    path: '/control/faults',
    answer: ({ json }) => {
      const fault = readFault(json);
      if (fault) faults.add(fault);
      return fault ? { status: 200, body: fault } : { status: 400, body: { error: 'not a fault' } };
    },
  },
  {
    method: 'DELETE',
    path: '/control/faults',
    answer: () => {
      faults.clear();
      return { status: 200, body: { cleared: true } };
    },
  },
];
