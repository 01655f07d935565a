import { createPgDriverFactory } from '@slonik/pg-driver';
import PQueue from 'p-queue';
import type pg from 'pg';
import {
  type ClientConfigurationInput,
  type CommonQueryMethods,
  createPool,
  type DatabasePool,
  type DriverClient,
  type DriverFactory,
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

/** How long a caller waits for a connection, for a new one to be made, and for the response to a statement. */
type PoolLimits = { slotMs: number; connectMs: number; statementMs: number };

/** Of a web process: together below 5 s for a request whose first statement meets a database that is silent. */
export const WEB_LIMITS: PoolLimits = { slotMs: 2_000, connectMs: 3_000, statementMs: 3_500 };
/** Of a worker: a step that times out is repeated within the deadline of an order. */
export const WORKER_LIMITS: PoolLimits = { slotMs: 5_000, connectMs: 3_000, statementMs: 5_000 };
const STATEMENT_TIMEOUT_MS = 30_000; // of the server
/** Of commands: a statement may take as long as the server lets it. */
const COMMAND_LIMITS: PoolLimits = { slotMs: 5_000, connectMs: 5_000, statementMs: STATEMENT_TIMEOUT_MS + 5_000 };
const IDLE_IN_TRANSACTION_MS = 10_000; // of the server: the longest pause within a transaction before it lets go of its locks
const GRACE_MS = 250; // how long a connection may take to close

type Open = (url: string, maxPoolSize: number, onError: (error: Error) => void, limits?: PoolLimits) => Promise<DbPool>;

/** Opens the pool of a process. It does not reset connections: our code leaves no session state. */
export const openPool: Open = (url, maxPoolSize, onError, limits = COMMAND_LIMITS) =>
  open(
    url,
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
  { slotMs, connectMs, statementMs }: PoolLimits,
): Promise<DbPool> {
  const { url: address, ssl } = splitTls(url);
  const pool = await createPool(address, {
    ...options,
    ...(ssl && { ssl }),
    captureStackTrace: false,
    connectionRetryLimit: 0,
    connectionTimeout: connectMs,
    driverFactory: withStatementLimit(statementMs),
    gracefulTerminationTimeout: GRACE_MS,
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
  return withSlots(pool, size, slotMs);
}

/*
 * A connection can go silent without being closed; TCP notices after minutes. So every statement has a time limit on this
 * side. A connection that does not respond within it is closed, because its response may still come: decision 026.
 */

/** After a pause of this process, responses that have arrived meanwhile are read before the limit counts. */
const READ_FIRST_MS = 100;

/** The connections of all pools of this process. */
const pooled = new Set<DriverClient>();

/** A driver for slonik whose statements reject with `connection timeout` after `limitMs`. */
const withStatementLimit =
  (limitMs: number): DriverFactory =>
  async (options) => {
    const driver = await createPgDriverFactory()(options);
    return {
      async createClient() {
        const client = await driver.createClient();
        pooled.add(client);
        client.on('destroy', () => pooled.delete(client));
        return limited(client, limitMs);
      },
    };
  };

function limited(client: DriverClient, limitMs: number): DriverClient {
  let silent: Error | undefined;
  return {
    ...client,
    async query(...statement) {
      if (silent) throw silent; // such as the rollback of a transaction whose statement timed out
      const { promise: expired, reject } = Promise.withResolvers<never>();
      const stop = afterSilence(limitMs, () => {
        silent = new Error(`connection timeout: the database did not respond within ${limitMs} ms`);
        reject(silent);
        close(client);
        closeIdle();
      });
      return Promise.race([client.query(...statement), expired]).finally(stop);
    },
  };
}

/** The cause may affect all connections: idle ones are replaced. */
const closeIdle = () => [...pooled].filter((client) => client.state() === 'IDLE').forEach(close);

const close = (client: DriverClient) => void client.destroy().catch(() => {}); // the pool forgets it in any case

/**
 * Makes a function for new connections that keeps their errors from ending the process, and closes a connection whose
 * statements take longer than `limitMs` together. They reject with `Connection terminated`.
 */
export const endWhenSilent =
  (limitMs: number, onError: (error: Error) => void) =>
  (client: pg.Client): void => {
    let stop: (() => void) | undefined;
    const query = client.query.bind(client) as (...statement: unknown[]) => unknown; // as: passed on unchanged
    client.query = ((...statement: unknown[]) => {
      stop ??= afterSilence(limitMs, () => {
        client.end().catch(() => {}); // during a statement it closes the socket at once
        closeIdle();
      });
      return query(...statement);
    }) as typeof client.query; // as: passed on unchanged
    const rest = () => {
      stop = void stop?.();
    };
    client.on('error', onError);
    client.on('drain', rest); // no statement is left
    client.on('end', rest);
  };

/** Calls `expire` after `limitMs` unless it is stopped before. */
function afterSilence(limitMs: number, expire: () => void): () => void {
  let timer = setTimeout(() => {
    timer = setTimeout(expire, READ_FIRST_MS);
  }, limitMs);
  return () => clearTimeout(timer);
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
function withSlots(pool: DatabasePool, size: number, slotMs: number): DbPool {
  const slots = connectionSlots(size, slotMs);
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
