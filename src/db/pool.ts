import PQueue from 'p-queue';
import pg from 'pg';
import {
  type ClientConfigurationInput,
  type CommonQueryMethods,
  createPool,
  type DatabasePool,
  type DriverTypeParser,
  type Interceptor,
} from 'slonik';
import { databaseIsAway } from './conflicts.ts';
import { splitTls } from './tls.ts';

/** A connection pool, or a transaction on one of its connections. Money is text, times are ISO-8601 in UTC, 64-bit integers are numbers. */
export type Db = CommonQueryMethods;

/** A pool of connections. `end` closes it. */
export type DbPool = DatabasePool;

/** Money stays text, because a float would round it. Our 64-bit integers fit into a number. */
const typeParsers: DriverTypeParser[] = [
  { name: 'numeric', parse: (text) => text },
  { name: 'int8', parse: Number },
  { name: 'timestamptz', parse: (text) => new Date(text).toISOString() },
];

const CONNECTION_TIMEOUT_MS = 5_000; // the maximum wait for a connection of the pool
const STATEMENT_TIMEOUT_MS = 30_000;

type Open = (url: string, maxPoolSize: number, onError: (error: Error) => void) => Promise<DbPool>;

/** Opens the pool of a web or worker process. It does not reset connections: our code leaves no session state. */
export const openPool: Open = (url, maxPoolSize, onError) =>
  open(url, maxPoolSize, { statementTimeout: STATEMENT_TIMEOUT_MS }, onError);

/**
 * The same through a transaction pooler, where the next statement may run in another session. Statements are not
 * prepared by name, and no session timeouts are set; those of the database apply.
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
  options: ClientConfigurationInput,
  onError: (error: Error) => void,
): Promise<DbPool> {
  const { url: address, ssl } = splitTls(url);
  const pool = await createPool(address, {
    ...options,
    ...(ssl && { ssl }),
    captureStackTrace: false,
    connectionRetryLimit: 0,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    idleTimeout: 'DISABLE_TIMEOUT',
    maxPoolSize: size + POOL_HEADROOM,
    minPoolSize: 1,
    queryRetryLimit: 0,
    resetConnection: async () => {},
    typeParsers,
  });
  pool.on('error', (error) => {
    if (databaseIsAway(error)) onError(error); // the pool also emits failed statements, which their callers report
  });
  return withSlots(pool, size);
}

/**
 * Extra connections beyond the slots, so that the pool never queues callers: it loses them when a new connection fails.
 */
const POOL_HEADROOM = 10;
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

/** Adds a queue in front of the pool in which every waiting caller gets a connection or an error. */
function withSlots(pool: DatabasePool, size: number): DbPool {
  const slots = connectionSlots(size, CONNECTION_TIMEOUT_MS);
  const taking = TAKES_A_CONNECTION.map((name) => {
    const take = pool[name] as (...args: unknown[]) => Promise<unknown>; // as: arguments are passed through unchanged
    return [name, (...args: unknown[]) => slots.use(() => take(...args))];
  });
  return {
    ...pool,
    ...Object.fromEntries(taking),
    state: () => ({ ...pool.state(), waitingClients: slots.waiting() }),
  };
}

const QUEUE_POOL_SIZE = 10; // the queue's own statements are short: 10 connections serve hundreds of jobs

/** Returns a function that reads the current use of a pool's connections, for metrics. */
export const poolState = (db: DbPool) => () => {
  const { acquiredConnections, idleConnections, waitingClients } = db.state();
  return { acquired: acquiredConnections, idle: idleConnections, waiting: waitingClients };
};

/** Opens a pool for the queue. Its error listeners keep a connection that PostgreSQL closes from ending the process. */
export function openQueuePool(url: string, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: QUEUE_POOL_SIZE, application_name: 'queue' });
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}

/** A limit on the connections in use. Further callers wait in order of arrival. */
export type Slots = {
  /**
   * Runs `work` as soon as a slot is free. Throws `connection timeout`, without running `work`, if none is free in
   * time.
   */
  use<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The number of waiting callers. */
  waiting(): number;
};

/**
 * Makes `count` slots. A caller waits at most `timeoutMs`. A slot is free again when its work has resolved or rejected.
 */
export function connectionSlots(count: number, timeoutMs: number): Slots {
  const queue = new PQueue({ concurrency: count });
  return {
    use(work) {
      if (queue.pending < count) return queue.add(work); // a slot is free
      const waiting = new AbortController();
      const timer = setTimeout(() => waiting.abort(timeoutError(timeoutMs)), timeoutMs);
      const start = () => {
        clearTimeout(timer); // the limit applies only to the wait
        return work();
      };
      return queue.add(start, { signal: waiting.signal });
    },
    waiting: () => queue.size,
  };
}

const timeoutError = (ms: number) => new Error(`connection timeout: no slot came free within ${ms} ms`);
