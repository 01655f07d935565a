import { expect } from 'chai';
import pg from 'pg';
import { sql } from 'slonik';
import { z } from 'zod';
import { readiness } from '../../src/capabilities/health/readiness.ts';
import { openPool } from '../../src/db/pool.ts';
import { caller } from '../support/caller.ts';
import { freshDatabase } from '../support/postgres.ts';
import { expectProblem } from '../support/problem.ts';
import { until } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';

const settings = { READY_QUEUE_AGE_S: 60 };

describe('getReadiness', () => {
  let service: TestService;
  before(async () => {
    service = await startService({ worker: false });
    await becomes(200);
  });
  after(() => service.stop());

  const ask = (path = '/readyz') => caller(service.url, 'no key').get(path);
  const becomes = (status: number) => until(`readiness to be ${status}`, async () => (await ask()).status === status);
  const addJob = (dueAgo: string, { key = 'late', priority = 0 } = {}) =>
    service.db.query(sql.unsafe`
      select graphile_worker.add_job('network/place', run_at => now() - ${dueAgo}::interval, job_key => ${key}, priority => ${priority})`);

  it('responds with 200 without credentials while every check passes', async () => {
    const { status, body } = await ask();

    expect(status).to.equal(200);
    expect(body).to.deep.equal({ status: 'ready' });
  });

  it('names the failing check while a due job has waited too long, and only then', async () => {
    await addJob('50 seconds');
    const { failing } = readiness(service.db, settings);
    const soon = await failing();
    await addJob('70 seconds');
    await addJob('1 second', { key: 'exit', priority: -1 }); // an exit, which comes first
    await becomes(503);
    const late = await ask();
    const alive = await ask('/healthz');
    await service.db.query(sql.unsafe`update queue_jobs set locked_at = now(), locked_by = 'w'`);
    await becomes(200);

    expect(soon).to.deep.equal([]);
    expectProblem(late, 'NOT_READY', { retryable: true });
    expect(late.body.error.checks).to.deep.equal(['queue']);
    expect(late.headers['cache-control']).to.equal('no-store');
    expect(alive.status).to.equal(200);
  });

  it('passes over jobs of a later version, which a rollback leaves and no worker of this one takes', async () => {
    await service.db.query(sql.unsafe`
      select graphile_worker.add_job('later/task', run_at => now() - interval '70 seconds', job_key => 'later', priority => p)
      from unnest(array[-1, 0]) p`);
    const left = await readiness(service.db, settings).failing();
    await addJob('70 seconds', { key: 'behind' });
    const late = await readiness(service.db, settings).failing();
    await service.db.query(sql.unsafe`delete from queue_jobs`);

    expect([left, late]).to.deep.equal([[], ['queue']]);
  });

  it('fails while the database takes no writes, and an order gets 503, not a bug’s 500', async () => {
    const partner = await service.partner();
    const name = await service.db.oneFirst(
      sql.type(z.object({ name: z.string() }))`select current_database()::text as name`,
    );
    const readOnly = async (setting: 'on' | 'off') => {
      const operator = new pg.Client({ connectionString: service.settings.DATABASE_URL });
      await operator.connect(); // not of a pool: it is the one connection that keeps the earlier setting
      await operator.query('set default_transaction_read_only = off');
      await operator.query(`alter database "${name}" set default_transaction_read_only = ${setting}`);
      await operator.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await operator.end();
    };
    await readOnly('on');
    await becomes(503);
    const ready = await ask();
    const order = await partner.post('/v1/register/netvenue', { asset_class: 'crypto', account_size: 1_000 });
    await readOnly('off');
    await becomes(200);

    expect(ready.body.error.checks).to.deep.equal(['database']);
    expectProblem(order, 'SERVICE_UNAVAILABLE', { effect: 'none' }); // PostgreSQL rejected every attempt
  });

  it('fails where notifications have never arrived, not as soon as they stop', async () => {
    let isListening = false;
    const { failing } = readiness(service.db, settings, { isListening: () => isListening });
    const never = await failing();
    isListening = true;
    const heard = readiness(service.db, settings, { isListening: () => isListening });
    await heard.failing();
    isListening = false;
    const stopped = await heard.failing();

    expect(never).to.deep.equal(['listening']);
    expect(stopped).to.deep.equal([]);
  });

  it('fails while a migration is missing', async () => {
    await service.db.query(sql.unsafe`update migrations set name = 'x_' || name where name = '0003_intents'`);
    await becomes(503);
    const { body } = await ask();
    await service.db.query(sql.unsafe`update migrations set name = '0003_intents' where name = 'x_0003_intents'`);
    await becomes(200);

    expect(body.error.checks).to.deep.equal(['migrations']);
  });

  it('fails while a definition is missing', async () => {
    await service.db.query(sql.unsafe`update definitions set name = 'x_settle_intent' where name = 'settle_intent'`);
    await becomes(503);
    const { body } = await ask();
    await service.db.query(sql.unsafe`update definitions set name = 'settle_intent' where name = 'x_settle_intent'`);
    await becomes(200);

    expect(body.error.checks).to.deep.equal(['migrations']);
  });

  it('is ready without a definition that its version has and does not call, since a newer one may have renamed it', async () => {
    await service.db.query(
      sql.unsafe`update definitions set name = 'x_may_run_alongside' where name = 'may_run_alongside'`,
    );

    const checks = await readiness(service.db, settings).failing();
    await service.db.query(
      sql.unsafe`update definitions set name = 'may_run_alongside' where name = 'x_may_run_alongside'`,
    );

    expect(checks).to.deep.equal([]);
  });

  it('is ready beside migrations of a newer version', async () => {
    await service.db.query(sql.unsafe`insert into migrations (name, run_on) values ('9999_newer', now())`);

    expect(await readiness(service.db, settings).failing()).to.deep.equal([]);
  });

  it('fails once the process is stopping, whatever the state of the database', async () => {
    const { failing, stop } = readiness(service.db, settings);

    stop();

    expect(await failing()).to.deep.equal(['stopping']);
  });

  it('queries the database about once a second, however many requests arrive', async () => {
    const before = await scans();
    await Promise.all(Array.from({ length: 300 }, () => ask()));
    const queries = (await scans()) - before;

    expect(queries).to.be.at.most(10);
  });

  /** How often the table of migrations has been read. Statistics arrive with a delay; this forces them. */
  async function scans(): Promise<number> {
    await service.db.query(sql.unsafe`select pg_stat_force_next_flush()`);
    const scanned = await service.db.oneFirst(sql.unsafe`
      select seq_scan + coalesce(idx_scan, 0) from pg_stat_user_tables where relid = 'migrations'::regclass`);
    return Number(scanned);
  }
});

describe('readiness of a process', () => {
  it('fails on migrations where the database is empty', async () => {
    const database = await freshDatabase();
    const db = await openPool(database.url, 1, () => {});
    await db.query(sql.unsafe`drop table migrations`);
    const failed = await readiness(db, settings).failing();
    await db.end();
    await database.drop();

    expect(failed).to.deep.equal(['migrations']);
  });

  it('fails on a hanging database within bounded time, and recovers with it', async () => {
    const database = await freshDatabase();
    const db = await openPool(database.url, 2, () => {});
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    const { failing } = readiness(db, settings);
    const startedAt = performance.now();

    await holder.query('begin');
    await holder.query('lock table migrations in access exclusive mode');
    const hanging = await Promise.all([failing(), failing(), failing()]);
    const tookMs = performance.now() - startedAt;
    await holder.query('rollback');
    await until('it to be ready', async () => (await failing()).length === 0);
    await holder.end();
    await db.end();
    await database.drop();

    expect(hanging).to.deep.equal([['database'], ['database'], ['database']]);
    expect(tookMs).to.be.within(1_900, 6_000);
  });

  it('fails on the database while it is unavailable', async () => {
    const database = await freshDatabase();
    const db = await openPool(database.url, 1, () => {});
    const ready = await readiness(db, settings).failing();
    await database.drop();

    const gone = await readiness(db, settings).failing();
    await db.end();

    expect(ready).to.deep.equal([]);
    expect(gone).to.deep.equal(['database']);
  });
});
