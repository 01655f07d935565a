import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { mostEntries } from '../kernel/cache.ts';
import { epochMs } from '../kernel/work.ts';
import { waitedTooLong, wasUndone } from './conflicts.ts';
import { endWhenSilent } from './limits.ts';
import { GIVEN_UP_MS } from './pool.ts';
import { withSession } from './session.ts';

const SIZE = 9; // the queue's own statements are short: these connections serve hundreds of jobs
const STATEMENT_MS = 5_000;
const CONNECTION_MS = 5_000; // to get one of the connections, too
const TIMES = 5;
const AGAIN_MS = 50; // by then the server takes the next statement
const RELEASE_TIMES = 20; // a database that is away for longer leaves the rest to `release_lost_jobs`
const RELEASE_AGAIN_MS = 500;
const KNOWN_MS = 120_000; // no task takes longer, see `release_lost_jobs`
const MOST_KNOWN = 20_000;

/**
 * Opens a pool for the queue's own statements: fetching a job, and recording its end. Their commits do not wait for the disk. What a crash of the
 * server forgets of the last second is harmless: a job that was fetched is fetched again, and fences let only one act; one that was
 * done is locked until `release_lost_jobs` and finds nothing to do. Jobs are queued by other connections; one that
 * is passed on is queued here before its end is recorded, and a crash forgets the later commit first. The error listeners keep a connection that
 * PostgreSQL closes from ending the process. A statement that was undone because of others is repeated, and one that waits for a lock: jobs that
 * end together are deleted in no order, so one that plans several of them again may deadlock with it, or hold one of them, and the queue would
 * end the runner. Jobs whose fetch lost its response are released, before the next fetch.
 */
export function openQueuePool(url: string, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withSession(url, { synchronous_commit: 'off', lock_timeout: String(STATEMENT_MS - GIVEN_UP_MS) }),
    max: SIZE,
    application_name: 'queue',
    keepAlive: true,
    connectionTimeoutMillis: CONNECTION_MS,
  });
  pool.on('error', onError);
  pool.on('connect', endWhenSilent(STATEMENT_MS, onError));
  const known = new LRUCache<string, true>({ ...mostEntries(MOST_KNOWN), ttl: KNOWN_MS });
  pool.on('connect', (client) => {
    repeatUndone(client, async (fetch) => {
      try {
        const fetched = await fetch.run();
        for (const { id } of fetched.rows) known.set(id, true, { size: 1 });
        return fetched;
      } catch (error) {
        if (!isResponse(error)) await releaseUnknown(pool, fetch.runner, [...known.keys()]);
        throw error;
      }
    });
  });
  return pool;
}

/** Whether the server has responded to a statement, with an error that undid it. */
const isResponse = (error: unknown): boolean => Object(error).severity === 'ERROR';

/**
 * Releases the jobs that a runner holds and has never received: the response to the statement that fetched them was lost. A runner fetches
 * again only after that, so none is on its way to it.
 */
async function releaseUnknown(pool: pg.Pool, runner: unknown, known: string[]): Promise<void> {
  for (let left = RELEASE_TIMES; left > 0; left -= 1)
    try {
      await pool.query(
        'update queue_jobs set locked_at = null, locked_by = null where locked_by = $1 and id <> all ($2::bigint[])',
        [runner, known],
      );
      return;
    } catch {
      await sleep(RELEASE_AGAIN_MS, undefined, { ref: false });
    }
}

type Named = { name: string; text: string; values?: unknown[] };

const MINUTE_MS = 60_000;
/** A condition in the queue's statement: a tick counts only if it is later than the last one. */
const AFTER_LAST = 'known_crontabs.last_execution < excluded.last_execution';
const AFTER_LAST_OR_SET_BACK =
  "known_crontabs.last_execution not between excluded.last_execution and excluded.last_execution + interval '1 minute'";

/**
 * Rewrites the queue's crontab statement to the current minute by the service's time (`epochMs`), with jobs that are due at once. The queue uses the
 * clock of its host. If that is ahead, its jobs would be due later, be planned anew at the next tick and so never run, and no other worker's tick
 * would count until then. After the time was set back, a tick counts again although an earlier run recorded a later one.
 */
function atPresent({ name, text, values: [jobs, , ...rest] = [] }: Named): Named {
  const minute = new Date(Math.round(epochMs() / MINUTE_MS) * MINUTE_MS).toISOString();
  const planned = JSON.parse(String(jobs)) as { job: object }[]; // as: what the queue plans
  const due = planned.map(({ job, ...each }) => ({ ...each, job: { ...job, runAt: null } })); // now
  return {
    name,
    text: text.replace(AFTER_LAST, AFTER_LAST_OR_SET_BACK),
    values: [JSON.stringify(due), minute, ...rest],
  };
}

/**
 * Whether the host's clock was set back while a crontab waited for its next tick, by the data of its event `cron:prematureTimer`. That crontab makes
 * no tick until the clock reaches the expected time, which may take hours; a restarted one does.
 */
export const wasSetBack = (tick: { currentTimestamp: number; expectedTimestamp: number }): boolean =>
  tick.expectedTimestamp - tick.currentTimestamp > MINUTE_MS;

/** A statement of the queue that fetches jobs for a runner. */
type Fetch = { runner: unknown; run(): Promise<pg.QueryResult<{ id: string }>> };

/**
 * Makes a client repeat statements that were undone, run the crontab by the service's time (`atPresent`), and pass fetches of jobs to `fetching`. The
 * queue names the statements that are a transaction of their own.
 */
function repeatUndone(client: pg.PoolClient, fetching: (fetch: Fetch) => Promise<unknown>): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown; // as: it has many forms
  const repeated = async (config: object): Promise<unknown> => {
    for (let undone = 0; ; await sleep(AGAIN_MS)) {
      try {
        return await query(config);
      } catch (error) {
        if (wasUndone(error)) undone += 1;
        if (undone === TIMES || !(wasUndone(error) || waitedTooLong(error))) throw error;
      }
    }
  };
  const isNamed = (config: unknown): config is Named =>
    typeof config === 'object' && config !== null && 'name' in config && typeof config.name === 'string';
  const named = (config: Named) => {
    const run = () => repeated(config) as ReturnType<Fetch['run']>; // as: jobs have ids
    return config.name.startsWith('get_job') ? fetching({ runner: config.values?.[0], run }) : run();
  };
  Object.assign(client, {
    query: (...args: unknown[]) => {
      const [config, ...rest] = args;
      if (isNamed(config) && config.name.startsWith('cron')) return query(atPresent(config), ...rest); // sent by the pool, with a callback
      return args.length === 1 && isNamed(config) ? named(config) : query(...args);
    },
  });
}
