import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { keepAlive, type Liveness } from '../../src/db/liveness.ts';
import { type Hand, item, openSpine, type Spine } from '../support/spine.ts';

const SPACE = 884422;

describe('liveness of workers', () => {
  let spine: Spine;
  before(async () => {
    spine = await openSpine();
  });
  after(() => spine.close());
  beforeEach(() => spine.query('truncate worker_processes, intents, graphile_worker._private_jobs cascade'));

  /** A worker as a row: it has been silent for so long, and holds a job by the pool named as itself. */
  async function registered(silentS: number, lockedBy?: Hand): Promise<string> {
    const id = randomUUID();
    const [{ lock_key } = { lock_key: 0 }] = await spine.query<{ lock_key: number }>(
      `insert into worker_processes (id, pool_ids, seen_at)
       values ($1, array[$2], now() - make_interval(secs => $3)) returning lock_key::integer`,
      [id, id, silentS],
    );
    if (lockedBy) await lockedBy.query('select pg_advisory_lock($1, $2)', [SPACE, lock_key]);
    await lockJob(id);
    return id;
  }

  async function lockJob(by: string, agoS = 5): Promise<void> {
    const one = item();
    await spine.accept(one);
    await spine.query(
      `update graphile_worker._private_jobs set locked_by = $1, locked_at = now() - make_interval(secs => $2)
       where payload ->> 'intent_id' = $3`,
      [by, agoS, one.id],
    );
  }

  const bury = async (caller: string = randomUUID()) =>
    (await spine.query<{ n: number }>('select bury_dead_workers($1, 4, 8, 60) n', [caller]))[0]?.n;
  const holders = async () =>
    (
      await spine.query<{ locked_by: string | null }>('select locked_by from graphile_worker._private_jobs cascade')
    ).map(({ locked_by }) => locked_by);
  const workers = async () =>
    (await spine.query<{ id: string }>('select id from worker_processes')).map(({ id }) => id);

  it('buries who is silent and has lost its lock, and hands its jobs back', async () => {
    await registered(5);

    expect(await bury()).to.equal(1);
    expect(await workers()).to.deep.equal([]);
    expect(await holders()).to.deep.equal([null]);
  });

  it('leaves alone who is silent but holds its lock', async () => {
    const stopping = await spine.hand();
    const id = await registered(5, stopping);

    expect(await bury()).to.equal(0);
    expect(await holders()).to.deep.equal([id]);
  });

  it('buries who has been silent for long although it holds its lock', async () => {
    const stopped = await spine.hand();
    await registered(9, stopped);

    expect(await bury()).to.equal(1);
    expect(await holders()).to.deep.equal([null]);
  });

  it('leaves alone who was seen just now, and whoever asks', async () => {
    const [seen, caller] = [await registered(1), await registered(60)];

    expect(await bury(caller)).to.equal(0);
    expect(await holders()).to.have.members([seen, caller]);
  });

  it('hands back what nobody registered has held for long', async () => {
    await lockJob('a pool nobody knows', 61);
    await lockJob('another one', 5);

    await bury();

    expect(await holders()).to.have.members([null, 'another one']);
  });

  describe('keepAlive', () => {
    let liveness: Liveness;
    afterEach(() => liveness.stop());

    const faults: Error[] = [];
    const alive = async () => {
      liveness = keepAlive(spine.url, { onError: (error) => faults.push(error), onBuried: () => {} });
      await liveness.holds(['pool one']);
    };
    const row = async () =>
      (
        await spine.query<{ pool_ids: string[]; lock_key: number }>(
          'select pool_ids, lock_key::integer from worker_processes',
        )
      )[0];
    const isLocked = async (key: number) => {
      const [taken] = await spine.query<{ ok: boolean }>('select pg_try_advisory_lock($1, $2) ok', [SPACE, key]);
      if (taken?.ok) await spine.query('select pg_advisory_unlock($1, $2)', [SPACE, key]);
      return !taken?.ok;
    };

    it('registers with its pools and its lock, and takes both back when it stops', async () => {
      await alive();
      const registered_ = await row();
      const locked = await isLocked(Number(registered_?.lock_key));
      await liveness.stop();

      expect(registered_?.pool_ids).to.deep.equal(['pool one']);
      expect(locked).to.equal(true);
      expect(await row()).to.equal(undefined);
      await until(async () => !(await isLocked(Number(registered_?.lock_key))));
    });

    it('hands the jobs of its own pools back once they have ended', async () => {
      await alive();
      await Promise.all([lockJob('pool one'), lockJob('pool two')]);

      await liveness.holds(['pool two']);

      expect(await holders()).to.have.members([null, 'pool two']);
    });

    it('registers again after its connection was cut off', async () => {
      await alive();
      const first = await row();
      await spine.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'worker liveness'`);

      await until(async () => (await row())?.lock_key !== first?.lock_key);

      expect(await row()).to.deep.include({ pool_ids: ['pool one'] });
      expect(await isLocked(Number((await row())?.lock_key))).to.equal(true);
      expect(faults).not.to.deep.equal([]);
    });

    it('registers again after it was buried', async () => {
      await alive();
      await spine.query('delete from worker_processes');

      await until(async () => (await row()) !== undefined);

      expect(await row()).to.deep.include({ pool_ids: ['pool one'] });
    });

    async function until(holds: () => Promise<boolean>): Promise<void> {
      for (let tries = 0; !(await holds()); tries += 1) {
        if (tries > 100) throw new Error('it never came');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  });
});
