import pg from 'pg';
import { wasUndone } from './conflicts.ts';
import { endWhenSilent } from './limits.ts';
import { withSession } from './session.ts';

const SIZE = 10; // the queue's own statements are short: 10 connections serve hundreds of jobs
const STATEMENT_MS = 5_000;
const CONNECTION_MS = 5_000; // to get one of the connections, too
const TIMES = 5;

/**
 * Opens a pool for the queue's own statements: fetching a job, and recording its end. Their commits do not wait for the disk. What a crash of the
 * server forgets of the last second is harmless: a job that was fetched is fetched again, and fences let only one act; one that was
 * done is locked until `release_lost_jobs` and finds nothing to do. Jobs are queued by other connections; one that
 * is passed on is queued here before its end is recorded, and a crash forgets the later commit first. The error listeners keep a connection that
 * PostgreSQL closes from ending the process. A statement that was undone because of others is repeated: jobs that end together are deleted
 * in no order, so one that plans several of them again may deadlock with it, and the queue would end the runner.
 */
export function openQueuePool(url: string, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withSession(url, { synchronous_commit: 'off' }),
    max: SIZE,
    application_name: 'queue',
    keepAlive: true,
    connectionTimeoutMillis: CONNECTION_MS,
  });
  pool.on('error', onError);
  pool.on('connect', endWhenSilent(STATEMENT_MS, onError));
  pool.on('connect', repeatUndone);
  return pool;
}

/** Lets a client repeat what was undone. The queue names the statements that are a transaction of their own. */
function repeatUndone(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown; // as: it has many forms
  const repeated = async (config: object): Promise<unknown> => {
    for (let left = TIMES; ; left -= 1) {
      try {
        return await query(config);
      } catch (error) {
        if (left === 1 || !wasUndone(error)) throw error;
      }
    }
  };
  const isNamed = (config: unknown): config is { name: string } =>
    typeof config === 'object' && config !== null && 'name' in config && typeof config.name === 'string';
  Object.assign(client, {
    query: (...args: unknown[]) => (args.length === 1 && isNamed(args[0]) ? repeated(args[0]) : query(...args)),
  });
}
