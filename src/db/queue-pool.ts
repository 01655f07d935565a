import pg from 'pg';
import { endWhenSilent } from './limits.ts';
import { withSession } from './session.ts';

const SIZE = 10; // the queue's own statements are short: 10 connections serve hundreds of jobs
const STATEMENT_MS = 5_000;
const CONNECTION_MS = 5_000; // to get one of the connections, too

/**
 * Opens a pool for the queue's own statements: fetching a job, and recording its end. Their commits do not wait for the disk. What a crash of the
 * server forgets of the last second is harmless: a job that was fetched is fetched again, and fences let only one act; one that was
 * done is locked until `release_lost_jobs` and finds nothing to do. Jobs are queued by other connections; one that
 * is passed on is queued here before its end is recorded, and a crash forgets the later commit first. The error listeners keep a connection that
 * PostgreSQL closes from ending the process.
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
  return pool;
}
