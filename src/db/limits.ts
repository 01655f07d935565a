import { createPgDriverFactory } from '@slonik/pg-driver';
import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import type pg from 'pg';
import type { DatabasePool, DriverClient, DriverFactory } from 'slonik';
import { mostEntries } from '../kernel/cache.ts';
import { FIRST, type InLane, LaneQueue } from '../kernel/concurrency.ts';
import { presentWork } from '../kernel/work.ts';
import { databaseIsReadOnly } from './conflicts.ts';
import { leftOf, noteResponse, waitAnew, waitFromNow } from './waits.ts';

/*
 * A connection can go silent without being closed; TCP notices after minutes. So every statement has a time limit on this
 * side. A connection that does not respond within it is closed, because its response may still come: decision 026.
 */

/** After a pause of this process, responses that have arrived meanwhile are read before the limit counts. */
const READ_FIRST_MS = 100;

/** The connections of all pools of this process. */
const pooled = new Set<DriverClient>();

/** How long a statement may take, a new connection, and both of a caller together with its waits for them (see waitFromNow). */
export type Limits = { statementMs: number; connectMs: number; wholeMs: number };

/** A driver for slonik whose connections and statements reject with `connection timeout` after their limits. */
export const withLimits =
  (limits: Limits): DriverFactory =>
  async (options) => {
    const driver = await createPgDriverFactory()(options);
    return {
      async createClient() {
        const client = await connected(driver.createClient(), leftOf(limits.wholeMs, limits.connectMs));
        pooled.add(client);
        client.on('destroy', () => pooled.delete(client));
        return limited(client, limits);
      },
    };
  };

/** A new connection, which is closed if it comes too late. */
async function connected(client: Promise<DriverClient>, limitMs: number): Promise<DriverClient> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const stop = afterSilence(limitMs, () => {
    client.then(close, () => {}); // its error is the same: the database is away
    reject(silentFor(limitMs));
  });
  return Promise.race([client, expired]).finally(stop);
}

function limited(client: DriverClient, { statementMs, wholeMs }: Limits): DriverClient {
  let silent: Error | undefined;
  return {
    ...client,
    async query(...statement) {
      if (silent) throw silent; // such as the rollback of a transaction whose statement timed out
      const { promise: expired, reject } = Promise.withResolvers<never>();
      const limitMs = leftOf(wholeMs, statementMs);
      const stop = afterSilence(limitMs, () => {
        silent = silentFor(limitMs);
        reject(silent);
        close(client);
        if (limitMs === statementMs) closeIdle(); // with less time it may only have waited for a lock
      });
      const answered = client.query(...statement).catch((error) => {
        if (databaseIsReadOnly(error)) closeIdle(); // they may lead to the same former primary, and would read what is old
        throw error;
      });
      const result = await Promise.race([answered, expired]).finally(stop);
      noteResponse();
      return result;
    },
  };
}

const silentFor = (ms: number) =>
  new Error(`connection timeout: the database did not respond within ${Math.ceil(ms)} ms`);

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
export const POOL_HEADROOM = 10;
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
export function withSlots(pool: DatabasePool, size: number, slotMs: number): DatabasePool {
  const slots = connectionSlots(size, slotMs);
  const taking = TAKES_A_CONNECTION.map((name) => {
    const take = pool[name] as (...args: unknown[]) => Promise<unknown>; // as: arguments are passed through unchanged
    return [
      name,
      (...args: unknown[]) => {
        const waiting = presentWork().isOperator ? waitAnew : waitFromNow(); // an operator may wait longer for a slot than for all the rest
        return slots.use(() => waiting(() => take(...args)));
      },
    ];
  });
  return {
    ...pool,
    ...Object.fromEntries(taking),
    state: () => ({ ...pool.state(), waitingClients: slots.waiting() }),
  };
}

/**
 * A limit on the connections in use. Tenants take turns for free connections; within a tenant the order is that of arrival. Jobs of a task whose
 * tenant is not known count as one tenant's. Operators, whose reads may take long, use at most a third of the connections and come first for these. A
 * tenant leaves a fifth to others, because all of its statements may wait for one lock, such as that of its event log. A larger share would be missing
 * where a single tenant uses the process while some connections are silent.
 */
export type Slots = {
  /**
   * Runs `work` as soon as a slot is free. Throws `connection timeout`, without running `work`, if none is free in
   * time.
   */
  use<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The number of waiting callers. */
  waiting(): number;
};

/** How long an operator waits for a slot, behind other operators and then behind statements that take all slots. */
const OPERATOR_WAIT_MS = 10_000;
const OPERATORS_PART = 3;
const OTHERS_PART = 5;
const MOST_TENANTS = 1_000; // the tenants that were here last; earlier ones are forgotten
/** The lane of what is done before the tenant is known, or for several together: it takes turns as one tenant does. */
const OF_ALL = 'all';

/**
 * Makes `count` slots. A caller waits at most `timeoutMs`. A slot is free again when its work has resolved or rejected.
 */
export function connectionSlots(count: number, timeoutMs: number): Slots {
  const queueOf = (concurrency: number): Queue => new PQueue({ concurrency, queueClass: LaneQueue });
  const all = queueOf(count);
  const operators = queueOf(Math.max(1, Math.floor(count / OPERATORS_PART)));
  const tenants = new LRUCache<string, Queue>(mostEntries(MOST_TENANTS));
  return {
    async use(work) {
      const { isOperator, task, tenant = task } = presentWork();
      const first = { timeoutMs: OPERATOR_WAIT_MS, lane: FIRST };
      if (isOperator) return inTurn(operators, () => inTurn(all, work, first), first);
      if (tenant === undefined) return inTurn(all, work, { timeoutMs, lane: OF_ALL });
      const own = tenants.get(tenant) ?? queueOf(count - Math.floor(count / OTHERS_PART));
      tenants.set(tenant, own, { size: 1 });
      const turn = { timeoutMs, lane: tenant };
      return inTurn(own, () => inTurn(all, work, turn), turn);
    },
    waiting: () => [all, operators, ...tenants.values()].reduce((sum, { size }) => sum + size, 0),
  };
}

type Queue = PQueue<LaneQueue, InLane>;

function inTurn<Result>(
  queue: Queue,
  work: () => Promise<Result>,
  { timeoutMs, lane }: { timeoutMs: number; lane: string },
): Promise<Result> {
  if (queue.pending < queue.concurrency) return queue.add(work); // a slot is free
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(timeoutError(timeoutMs)), timeoutMs);
  const start = () => {
    clearTimeout(timer); // the limit applies only to the wait
    return work();
  };
  return queue.add(start, { signal: waiting.signal, lane });
}

const timeoutError = (ms: number) => new Error(`connection timeout: no slot came free within ${ms} ms`);
