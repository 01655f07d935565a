import pg from 'pg';
import {
  type ClientConfigurationInput,
  createPool,
  type DatabasePool,
  type DriverTypeParser,
  type Interceptor,
} from 'slonik';
import { databaseIsAway } from './conflicts.ts';
import { openPlaces } from './places.ts';

export type Db = DatabasePool;

/** Money stays text: a float would round it. Times are ISO-8601 in UTC. 64-bit integers of ours fit a number. */
const typeParsers: DriverTypeParser[] = [
  { name: 'numeric', parse: (text) => text },
  { name: 'int8', parse: Number },
  { name: 'timestamptz', parse: (text) => new Date(text).toISOString() },
];

const CONNECTION_TIMEOUT_MS = 5_000; // a request waits no longer for a place in the pool
const STATEMENT_TIMEOUT_MS = 30_000;

type Open = (url: string, maxPoolSize: number, onError: (error: Error) => void) => Promise<Db>;

/** A pool for web and outcomes. It never resets connections: nothing here leaves session state behind. */
export const openPool: Open = (url, maxPoolSize, onError) =>
  open(url, maxPoolSize, { statementTimeout: STATEMENT_TIMEOUT_MS }, onError);

/**
 * The same through a pooler of transactions, where the next statement may meet another session: statements go unnamed, and no
 * time limit is asked of the session. The database's own applies.
 */
export const openPooledPool: Open = (url, maxPoolSize, onError) =>
  open(
    url,
    maxPoolSize,
    {
      statementTimeout: 'DISABLE_TIMEOUT',
      idleInTransactionSessionTimeout: 'DISABLE_TIMEOUT',
      interceptors: [unnamed],
    },
    onError,
  );

const unnamed: Interceptor = { name: 'unnamed', transformQuery: (_, { sql, values }) => ({ sql, values }) };

async function open(
  url: string,
  size: number,
  own: ClientConfigurationInput,
  onError: (error: Error) => void,
): Promise<Db> {
  const pool = await createPool(url, {
    ...own,
    captureStackTrace: false,
    connectionRetryLimit: 0,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    idleTimeout: 'DISABLE_TIMEOUT',
    maxPoolSize: size + NEVER_FULL,
    minPoolSize: 1,
    queryRetryLimit: 0,
    resetConnection: async () => {},
    typeParsers,
  });
  pool.on('error', (error) => {
    if (databaseIsAway(error)) onError(error); // it names every failed statement, too: of those whoever made them tells
  });
  return inTurn(pool, size);
}

/** With more room than places the pool never lets anyone wait: it forgets those who do when the connections it is making fail. */
const NEVER_FULL = 10;
const TAKES_A_CONNECTION = [
  'any',
  'anyFirst',
  'connect',
  'exists',
  'many',
  'manyFirst',
  'maybeOne',
  'maybeOneFirst',
  'one',
  'oneFirst',
  'query',
  'record',
  'stream',
  'transaction',
] as const;

/** The pool, with a line of our own before it: whoever waits is served or refused. */
function inTurn(pool: DatabasePool, size: number): Db {
  const places = openPlaces(size, CONNECTION_TIMEOUT_MS);
  const taking = TAKES_A_CONNECTION.map((name) => {
    const take = pool[name] as (...args: unknown[]) => Promise<unknown>; // as: handed on as it came
    return [name, (...args: unknown[]) => places.use(() => take(...args))];
  });
  return {
    ...pool,
    ...Object.fromEntries(taking),
    state: () => ({ ...pool.state(), waitingClients: places.waiting() }),
  };
}

const QUEUE_POOL_SIZE = 10; // the queue's own statements are short: ten connections feed hundreds of jobs

/** A pool for the queue itself, with listeners, so that a connection that PostgreSQL ends never ends the process. */
export function openQueuePool(url: string, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: QUEUE_POOL_SIZE, application_name: 'queue' });
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}
