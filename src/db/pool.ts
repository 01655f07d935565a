import {
  type ClientConfigurationInput,
  type CommonQueryMethods,
  createPool,
  type DatabasePool,
  type DriverTypeParser,
  type Interceptor,
} from 'slonik';
import { databaseIsAway } from './conflicts.ts';
import { type Limits, POOL_HEADROOM, withLimits, withSlots } from './limits.ts';
import { withSession } from './session.ts';
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

/** How long a caller waits for a slot, and the limits of what follows. */
type PoolLimits = Limits & { slotMs: number };

/** Of a web process: a request whose first statement meets a database that is silent has its response within 5 s. */
export const WEB_LIMITS: PoolLimits = { slotMs: 2_000, connectMs: 3_000, statementMs: 3_500, wholeMs: 4_500 };
/** Of a worker: a step that times out is repeated within the deadline of an order. */
export const WORKER_LIMITS: PoolLimits = { slotMs: 5_000, connectMs: 3_000, statementMs: 5_000, wholeMs: 10_000 };
const STATEMENT_TIMEOUT_MS = 30_000; // of the server
/** Of commands: a statement may take as long as the server lets it. */
const COMMAND_LIMITS: PoolLimits = {
  ...{ slotMs: 5_000, connectMs: 5_000 },
  ...{ statementMs: STATEMENT_TIMEOUT_MS + 5_000, wholeMs: STATEMENT_TIMEOUT_MS + 15_000 },
};
/** Of the server: the longest pause within a transaction before it lets go of its locks. */
export const IDLE_IN_TRANSACTION_MS = 10_000;
const UNDONE_RETRIES = 5; // of a statement or transaction that PostgreSQL undid because of others (class 40), and of no other
const GRACE_MS = 250; // how long a connection may take to close

type Open = (url: string, maxPoolSize: number, onError: (error: Error) => void, limits?: PoolLimits) => Promise<DbPool>;

/** How long before the limit of a statement the server gives it up if it waits for a lock, so that no connection is lost. */
export const GIVEN_UP_MS = 500;

/** Opens the pool of a process. It does not reset connections: our code leaves no session state. */
export const openPool: Open = (url, maxPoolSize, onError, limits = COMMAND_LIMITS) =>
  open(
    withSession(url, { lock_timeout: String(limits.statementMs - GIVEN_UP_MS) }),
    maxPoolSize,
    { statementTimeout: STATEMENT_TIMEOUT_MS, idleInTransactionSessionTimeout: IDLE_IN_TRANSACTION_MS },
    onError,
    limits,
  );

/**
 * The same through a transaction pooler, where the next statement may run in another session. Statements are not
 * prepared by name, and no session timeouts are set; those of the database apply.
 */
export const openPooledPool: Open = (url, maxPoolSize, onError, limits = COMMAND_LIMITS) =>
  open(
    url,
    maxPoolSize,
    {
      statementTimeout: 'DISABLE_TIMEOUT',
      idleInTransactionSessionTimeout: 'DISABLE_TIMEOUT',
      interceptors: [unnamed],
    },
    onError,
    limits,
  );

const unnamed: Interceptor = { name: 'unnamed', transformQuery: (_, { sql, values }) => ({ sql, values }) };

async function open(
  url: string,
  size: number,
  options: ClientConfigurationInput,
  onError: (error: Error) => void,
  { slotMs, ...limits }: PoolLimits,
): Promise<DbPool> {
  const { url: address, ssl } = splitTls(url);
  const pool = await createPool(address, {
    ...options,
    ...(ssl && { ssl }),
    captureStackTrace: false,
    connectionRetryLimit: 0,
    connectionTimeout: limits.connectMs,
    driverFactory: withLimits(limits),
    gracefulTerminationTimeout: GRACE_MS,
    idleTimeout: 'DISABLE_TIMEOUT',
    maxPoolSize: size + POOL_HEADROOM,
    minPoolSize: 1,
    queryRetryLimit: UNDONE_RETRIES,
    transactionRetryLimit: UNDONE_RETRIES,
    resetConnection: async () => {},
    typeParsers,
  });
  pool.on('error', (error) => {
    if (databaseIsAway(error)) onError(error); // the pool also emits failed statements, which their callers report
  });
  return withSlots(pool, size, slotMs);
}
