import { randomUUID } from 'node:crypto';
import pg from 'pg';

const LOCK_SPACE = 884422; // the same number stands in bury_dead_workers
const BEAT_MS = 2_000;
const SILENT_S = 4; // twice a beat: without its lock and silent for this long, a worker is dead
const STOPPED_S = 8; // silent for this long it is taken for dead even with its lock: it was stopped, not killed
const UNKNOWN_S = 60; // a job locked for this long by nobody registered
const SETTLE_IN_MS = 6_000; // after a lost database nobody is buried until everyone has had time to come back
const RECONNECT_MS = 250;

export type Liveness = {
  /** Names the queue's pools whose jobs are this process's. Jobs of those it named before, and no longer, are handed back. */
  holds(poolIds: string[]): Promise<void>;
  stop(): Promise<void>;
};

type Notices = { onError(error: Error): void; onBuried(count: number): void };

/**
 * Says that this worker lives, on a connection of its own that holds an advisory lock, and hands back the jobs of those that
 * do so no more. A process that was stopped and has been buried registers again when it wakes.
 */
export function keepAlive(url: string, { onError, onBuried }: Notices): Liveness {
  const id = randomUUID();
  let poolIds: string[] = [];
  const ended = new Set<string>();
  let client: pg.Client | undefined;
  let registeredAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let beating: Promise<void> = beat();

  /** One beat after the other: two at once would open two connections. */
  function beatNow(): Promise<void> {
    beating = beating.then(beat);
    return beating;
  }

  async function beat(): Promise<void> {
    clearTimeout(timer);
    if (stopped) return;
    try {
      client ??= await connect();
      if (!(await stillRegistered(client))) await register(client);
      if (ended.size > 0) await handBack(client, [...ended]);
      if (Date.now() - registeredAt > SETTLE_IN_MS) await bury(client);
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
      drop();
    }
    if (!stopped) timer = setTimeout(beatNow, client ? BEAT_MS : RECONNECT_MS);
  }

  async function connect(): Promise<pg.Client> {
    const fresh = new pg.Client({ connectionString: url, application_name: 'worker liveness', keepAlive: true });
    fresh.on('error', onError);
    fresh.on('end', () => fresh === client && drop());
    await fresh.connect();
    return fresh;
  }

  function drop(): void {
    client?.end().catch(() => {}); // it is gone already
    client = undefined;
    registeredAt = 0;
  }

  async function stillRegistered(own: pg.Client): Promise<boolean> {
    if (registeredAt === 0) return false;
    const { rowCount } = await own.query({
      name: 'beat',
      text: 'update worker_processes set seen_at = now(), pool_ids = $2 where id = $1',
      values: [id, poolIds],
    });
    return rowCount === 1;
  }

  /** The row becomes visible only with its lock held: nobody can take a starting worker for a dead one. */
  async function register(own: pg.Client): Promise<void> {
    await own.query('begin');
    await own.query('select pg_advisory_unlock_all()');
    await own.query('delete from worker_processes where id = $1', [id]);
    await own.query(
      `with registered as (insert into worker_processes (id, pool_ids) values ($1, $2) returning lock_key)
       select pg_advisory_lock(${LOCK_SPACE}, lock_key::integer) from registered`,
      [id, poolIds],
    );
    await own.query('commit');
    registeredAt = Date.now();
  }

  async function handBack(own: pg.Client, ids: string[]): Promise<void> {
    await own.query('select graphile_worker.force_unlock_workers($1)', [ids]);
    for (const poolId of ids) ended.delete(poolId);
  }

  async function bury(own: pg.Client): Promise<void> {
    const { rows } = await own.query<{ buried: number }>({
      name: 'bury',
      text: 'select bury_dead_workers($1, $2, $3, $4) as buried',
      values: [id, SILENT_S, STOPPED_S, UNKNOWN_S],
    });
    if (rows[0]?.buried) onBuried(rows[0].buried);
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
