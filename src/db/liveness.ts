import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { endWhenSilent } from './limits.ts';
import { withSession } from './session.ts';

const LOCK_SPACE = 884422; // the SQL function reap_dead_workers uses the same number
const BEAT_MS = 1_000;
const ORPHANS_AT_BEAT = 5; // every fifth beat looks for jobs of workers that are not registered
const SETTLE_IN_MS = 6_000; // no reaping for this long after a reconnect, so that all workers can register again
const RECONNECT_MS = 250;
const SILENT_MS = 5_000; // with a beat less than worker_limits allows: a silent connection is replaced before the worker counts as suspended

/** The registration of this worker process. */
export type Liveness = {
  /** Sets the queue pools of this process. Jobs of pools that are no longer in the list are released. */
  holds(poolIds: string[]): Promise<void>;
  stop(): Promise<void>;
};

type Notices = { onError(error: Error): void; onReaped(count: number): void };

/**
 * Registers this worker as alive, on its own connection that holds an advisory lock, and releases the jobs of dead
 * workers. A process that was suspended and reaped registers again when it resumes.
 */
export function keepAlive(url: string, { onError, onReaped }: Notices): Liveness {
  const id = randomUUID();
  let poolIds: string[] = [];
  const ended = new Set<string>();
  let client: pg.Client | undefined;
  let registeredAt = 0;
  let beats = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let beating: Promise<void> = beat();

  /** Serialises beats: two at once would open two connections. */
  function beatNow(): Promise<void> {
    beating = beating.then(beat);
    return beating;
  }

  async function beat(): Promise<void> {
    clearTimeout(timer);
    if (stopped) return;
    try {
      client ??= await connect();
      if (!(await isStillRegistered(client))) await register(client);
      if (ended.size > 0) await releaseJobs(client, [...ended]);
      beats += 1;
      if (performance.now() - registeredAt > SETTLE_IN_MS) await reap(client, beats % ORPHANS_AT_BEAT === 0);
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
      drop();
    }
    if (!stopped) timer = setTimeout(beatNow, client ? BEAT_MS : RECONNECT_MS);
  }

  async function connect(): Promise<pg.Client> {
    const fresh = new pg.Client({
      connectionString: withSession(url),
      application_name: 'worker liveness',
      keepAlive: true,
      connectionTimeoutMillis: SILENT_MS,
    });
    endWhenSilent(SILENT_MS, onError)(fresh);
    fresh.on('end', () => fresh === client && drop());
    await fresh.connect();
    return fresh;
  }

  function drop(): void {
    client?.end().catch(() => {}); // it may be closed already
    client = undefined;
    registeredAt = 0;
  }

  async function isStillRegistered(connection: pg.Client): Promise<boolean> {
    if (registeredAt === 0) return false;
    const { rowCount } = await connection.query({
      name: 'beat',
      text: 'update worker_processes set seen_at = now(), pool_ids = $2 where id = $1',
      values: [id, poolIds],
    });
    return rowCount === 1;
  }

  /** The row becomes visible only after its lock is held, so that no other worker reaps a starting one. */
  async function register(connection: pg.Client): Promise<void> {
    await connection.query('begin');
    await connection.query('select pg_advisory_unlock_all()');
    await connection.query('delete from worker_processes where id = $1', [id]);
    await connection.query(
      `with registered as (insert into worker_processes (id, pool_ids) values ($1, $2) returning lock_key)
       select pg_advisory_lock(${LOCK_SPACE}, lock_key::integer) from registered`,
      [id, poolIds],
    );
    await connection.query('commit');
    registeredAt = performance.now(); // not the time, which a failover may set back
  }

  async function releaseJobs(connection: pg.Client, ids: string[]): Promise<void> {
    await connection.query('select graphile_worker.force_unlock_workers($1)', [ids]);
    for (const poolId of ids) ended.delete(poolId);
  }

  async function reap(connection: pg.Client, withOrphans: boolean): Promise<void> {
    const { rows } = await connection.query<{ reaped: number }>({
      name: 'reap',
      text: `select reap_dead_workers($1, l.dead_s, l.stopped_s, case when $2 then l.orphaned_s end) as reaped
             from worker_limits() l`,
      values: [id, withOrphans],
    });
    if (rows[0]?.reaped) onReaped(rows[0].reaped);
  }

  return {
    async holds(ids) {
      for (const poolId of poolIds) if (!ids.includes(poolId)) ended.add(poolId);
      poolIds = ids;
      await beatNow();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await beating;
      await client?.query('delete from worker_processes where id = $1', [id]).catch(onError);
      drop();
    },
  };
}
