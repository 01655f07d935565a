import pg from 'pg';
import { createPool, type DatabasePool, type DriverTypeParser } from 'slonik';

export type Db = DatabasePool;

/** Money stays text: a float would round it. Times are ISO-8601 in UTC. 64-bit integers of ours fit a number. */
const typeParsers: DriverTypeParser[] = [
  { name: 'numeric', parse: (text) => text },
  { name: 'int8', parse: Number },
  { name: 'timestamptz', parse: (text) => new Date(text).toISOString() },
];

const CONNECTION_TIMEOUT_MS = 5_000; // a request waits no longer for a place in the pool
const STATEMENT_TIMEOUT_MS = 30_000;

/** A pool for web and outcomes. It never resets connections: nothing here leaves session state behind. */
export async function openPool(url: string, maxPoolSize: number, onError: (error: Error) => void): Promise<Db> {
  const pool = await createPool(url, {
    captureStackTrace: false,
    connectionRetryLimit: 0,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    idleTimeout: 'DISABLE_TIMEOUT',
    maxPoolSize,
    minPoolSize: 1,
    queryRetryLimit: 0,
    resetConnection: async () => {},
    statementTimeout: STATEMENT_TIMEOUT_MS,
    typeParsers,
  });
  pool.on('error', onError);
  return pool;
}

const QUEUE_POOL_SIZE = 10; // the queue's own statements are short: ten connections feed hundreds of jobs

/** A pool for the queue itself, with listeners, so that a connection that PostgreSQL ends never ends the process. */
export function openQueuePool(url: string, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: QUEUE_POOL_SIZE, application_name: 'queue' });
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}
