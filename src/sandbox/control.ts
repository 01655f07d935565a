import { type Faults, readFault } from './faults.ts';
import type { Ledger } from './ledger.ts';
import type { Route } from './upstream.ts';

const MOST_S = 400 * 86_400;

/** The response to anything else than a number of seconds that can pass. */
export const NOT_SECONDS = `seconds must be a whole number from 1 to ${MOST_S}`;

/** Whether so many seconds can pass at once: 1 s to 400 days. */
export const isAdvance = (seconds: unknown): seconds is number =>
  typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 1 && seconds <= MOST_S;

/**
 * Control routes of every sandbox upstream: read the ledger (`?after=seq`), add a scripted fault, clear all faults, let
 * `seconds` pass. `advance` makes what the upstream holds older.
 */
export const controlRoutes = (ledger: Ledger, faults: Faults, advance: (ms: number) => void): Route[] => [
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
  {
    method: 'POST',
    path: '/control/advance',
    response: ({ json }) => {
      const { seconds } = Object(json) as { seconds?: unknown }; // as: checked here
      if (!isAdvance(seconds)) return { status: 400, body: { error: NOT_SECONDS } };
      advance(seconds * 1_000);
      return { status: 200, body: { advanced_s: seconds } };
    },
  },
];
