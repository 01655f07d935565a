import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { keepAlive, type Liveness } from '../../src/db/liveness.ts';
import { goByDatabaseTime } from '../../src/kernel/work.ts';
import { type DbSession, type IntentDatabase, item, openIntentDatabase } from '../support/intent-database.ts';
import { until } from '../support/processes.ts';

const SPACE = 884422;

describe('liveness of workers', () => {
  let intentDb: IntentDatabase;
  before(async () => {
    intentDb = await openIntentDatabase();
  });
  after(() => intentDb.close());
  beforeEach(() => intentDb.query('truncate worker_processes, intents cascade; delete from queue_jobs'));

  /** A worker as a row: without a heartbeat for the given time, with a job locked by the pool named like itself. */
  async function registered(heartbeatAgeS: number, lockedBy?: DbSession): Promise<string> {
    const id = randomUUID();
    const [{ lock_key } = { lock_key: 0 }] = await intentDb.query<{ lock_key: number }>(
      `insert into worker_processes (id, pool_ids, seen_at)
       values ($1, array[$2], now() - make_interval(secs => $3)) returning lock_key::integer`,
      [id, id, heartbeatAgeS],
    );
    if (lockedBy) await lockedBy.query('select pg_advisory_lock($1, $2)', [SPACE, lock_key]);
    await lockJob(id);
    return id;
  }

  async function lockJob(by: string, agoS = 5): Promise<void> {
    const one = item();
    await intentDb.accept(one);
    await intentDb.query(
      `update queue_jobs set locked_by = $1, locked_at = now() - make_interval(secs => $2)
       where payload ->> 'intent_id' = $3`,
      [by, agoS, one.id],
    );
  }

  const reap = async (caller: string = randomUUID()) =>
    (await intentDb.query<{ n: number }>('select reap_dead_workers($1, 4, 8, 60) n', [caller]))[0]?.n;
  const holders = async () =>
    (await intentDb.query<{ locked_by: string | null }>('select locked_by from queue_jobs')).map(
      ({ locked_by }) => locked_by,
    );
  const workers = async () =>
    (await intentDb.query<{ id: string }>('select id from worker_processes')).map(({ id }) => id);

  it('reaps a worker without heartbeats and lock, and releases its jobs', async () => {
    await registered(5);

    expect(await reap()).to.equal(1);
    expect(await workers()).to.deep.equal([]);
    expect(await holders()).to.deep.equal([null]);
  });

  it('keeps a worker without heartbeats that holds its lock', async () => {
    const stopping = await intentDb.session();
    const id = await registered(5, stopping);

    expect(await reap()).to.equal(0);
    expect(await holders()).to.deep.equal([id]);
  });

  it('reaps a worker without heartbeats for long although it holds its lock', async () => {
    const stopped = await intentDb.session();
    await registered(9, stopped);

    expect(await reap()).to.equal(1);
    expect(await holders()).to.deep.equal([null]);
  });

  it('keeps a worker with a recent heartbeat, and the caller', async () => {
    const [recent, caller] = [await registered(1), await registered(60)];

    expect(await reap(caller)).to.equal(0);
    expect(await holders()).to.have.members([recent, caller]);
  });

  it('releases jobs locked for long by an unregistered worker', async () => {
    await lockJob('an unknown pool', 61);
    await lockJob('another one', 5);

    await reap();

    expect(await holders()).to.have.members([null, 'another one']);
  });

  it('leaves a living worker what it has held for long, beside an unregistered one', async () => {
    const living = await registered(1);
    await intentDb.query(`update queue_jobs set locked_at = now() - interval '61 seconds'`);
    await lockJob('an unknown pool', 61);

    expect(await reap()).to.equal(0);

    expect(await holders()).to.have.members([living, null]);
  });

  describe('keepAlive', () => {
    let liveness: Liveness;
    afterEach(() => liveness.stop());

    const faults: Error[] = [];
    const alive = async () => {
      liveness = keepAlive(intentDb.url, { onError: (error) => faults.push(error), onReaped: () => {} });
      await liveness.holds(['pool one']);
    };
    const row = async () =>
      (
        await intentDb.query<{ pool_ids: string[]; lock_key: number }>(
          'select pool_ids, lock_key::integer from worker_processes',
        )
      )[0];
    const isLocked = async (key: number) => {
      const [taken] = await intentDb.query<{ ok: boolean }>('select pg_try_advisory_lock($1, $2) ok', [SPACE, key]);
      if (taken?.ok) await intentDb.query('select pg_advisory_unlock($1, $2)', [SPACE, key]);
      return !taken?.ok;
    };

    it('registers with its pools and its lock, and removes both when it stops', async () => {
      await alive();
      const registered_ = await row();
      const locked = await isLocked(Number(registered_?.lock_key));
      await liveness.stop();

      expect(registered_?.pool_ids).to.deep.equal(['pool one']);
      expect(locked).to.equal(true);
      expect(await row()).to.equal(undefined);
      await until('the lock to be free', async () => !(await isLocked(Number(registered_?.lock_key))));
    });

    it('releases the jobs of its own pools once they have ended', async () => {
      await alive();
      await Promise.all([lockJob('pool one'), lockJob('pool two')]);

      await liveness.holds(['pool two']);

      expect(await holders()).to.have.members([null, 'pool two']);
    });

    it('registers again after its connection was cut off', async () => {
      await alive();
      const first = await row();
      await intentDb.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'worker liveness'`);

      await until('another lock', async () => (await row())?.lock_key !== first?.lock_key);

      expect(await row()).to.deep.include({ pool_ids: ['pool one'] });
      expect(await isLocked(Number((await row())?.lock_key))).to.equal(true);
      expect(faults).not.to.deep.equal([]);
    });

    it('reaps within seconds after the time that it goes by was set back, as by a failover', async () => {
      await alive();
      goByDatabaseTime(3_600_000);
      await registered(60);

      await until('the dead one to be reaped', async () => (await workers()).length === 1, 12_000).finally(() =>
        goByDatabaseTime(0),
      );

      expect(await row()).to.deep.include({ pool_ids: ['pool one'] });
    });

    it('reaps nobody in the first seconds: after an outage the others are about to register again', async () => {
      await registered(60);
      await alive();

      await sleep(3_000);

      expect(await workers()).to.have.length(2);
    });

    it('registers again after it was reaped', async () => {
      await alive();
      await intentDb.query('delete from worker_processes');

      await until('a row', async () => (await row()) !== undefined);

      expect(await row()).to.deep.include({ pool_ids: ['pool one'] });
    });
  });
});
