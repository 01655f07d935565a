import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { TaskList } from 'graphile-worker';
import pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../../src/config.ts';
import { openQueueNews, type QueueNews } from '../../src/db/queue-news.ts';
import { openMetrics } from '../../src/metrics/registry.ts';
import { JOBS_OF, type RunnerName, superviseRunner } from '../../src/runtime/runners.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';

const ABANDONED_MS = 5_000;
const POLLS_EVERY_MS = 500;
const AT_ONCE_MS = 200;

describe('a runner of the queue', function () {
  this.timeout(40_000);
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let client: pg.Client;
  let news: QueueNews;
  const errors: string[] = [];
  const warnings: string[] = [];
  const log = {
    warn: (_: object, message: string) => warnings.push(message),
    error: ({ err }: { err: Error }) => errors.push(err.message),
  } as unknown as Logger; // as: the rest is not called
  beforeEach(async () => {
    errors.length = 0;
    warnings.length = 0;
    database = await freshDatabase();
    client = new pg.Client({ ...database.connection, ssl: false });
    await client.connect();
    news = openQueueNews(database.url, { channels: Object.values(JOBS_OF), onAccepted() {}, onError() {} });
  });
  afterEach(async () => {
    await news.close();
    await client.end();
    await database.drop();
  });

  const superviseOf = (name: RunnerName, tasks: TaskList) =>
    superviseRunner(name, {
      ...{ log, tasks, metrics: openMetrics(), news },
      config: { directUrl: database.url, TRADING_CONCURRENCY: 4, OUTBOUND_CONCURRENCY: 4 } as Config, // as: the rest is not read
      readiness: { failing: async () => [] },
      onPool: async () => {},
    });
  const addJob = (task: string) => client.query('select graphile_worker.add_job($1)', [task]);

  it('that the queue gives up while a call hangs is replaced after a while', async () => {
    let done = 0;
    const { promise: hanging, resolve: release } = Promise.withResolvers<void>();
    const tasks = { hang: () => hanging, quick: async () => void done++ };
    await client.query(`
      create function keep_all() returns trigger language plpgsql as $$ begin raise exception 'not recorded'; end $$;
      do $$ begin
        execute format('create trigger keep_all before delete on %s for each row execute function keep_all()', (
          select c.oid::regclass from pg_class c where c.relnamespace = 'graphile_worker'::regnamespace and c.relkind = 'r' and c.relname like '%jobs'
        ));
      end $$`);
    const runner = superviseOf('trading', tasks);
    await addJob('hang');
    await addJob('quick'); // its end cannot be recorded
    await until('its end', async () => done === 1 && warnings.some((line) => line.startsWith('Failed to complete')));
    await client.query('drop function keep_all cascade');
    await addJob('quick');
    const beganAt = performance.now();

    await until('a job of the next runner', async () => done === 2, 3 * ABANDONED_MS);

    expect(performance.now() - beganAt).to.be.within(ABANDONED_MS - 1_000, ABANDONED_MS + 5_000);
    expect(errors).to.deep.equal(['The runner was abandoned by the queue and did not end']);
    release();
    await runner.stop();
  });

  it('that is stopped is not given up while its jobs end', async () => {
    let isDone = false;
    let isBegun = false;
    const long = async () => {
      isBegun = true;
      await pause(ABANDONED_MS + 1_000);
      isDone = true;
    };
    const runner = superviseOf('trading', { long });
    await addJob('long');
    await until('the job', async () => isBegun);

    await runner.stop();

    expect(isDone).to.equal(true);
    expect(errors).to.deep.equal([]);
  });

  it('is notified of its own jobs at once, and the outbound runner is not woken by jobs of orders', async () => {
    const begun: number[] = [];
    const fetches = countFetches(); // a client keeps the function that it has when it connects
    const runner = superviseOf('outbound', { 'mail/send': async () => void begun.push(performance.now()) });
    await addJob('mail/send');
    await until('the first job', async () => begun.length === 1);
    const took: number[] = [];
    for (let n = 0; n < 10; n++) {
      await pause(POLLS_EVERY_MS / 5); // since it has looked for jobs
      const [atMs, before] = [performance.now(), begun.length];
      await client.query('begin; select graphile_worker.add_job($$mail/send$$); select announce_outbound(); commit');
      await until('the job', async () => begun.length > before);
      took.push((begun.at(-1) ?? Number.NaN) - atMs);
    }
    fetches.count = 0;
    for (let n = 0; n < 20; n++) {
      await addJob('network/place');
      await pause(20);
    }
    await pause(POLLS_EVERY_MS);
    fetches.restore();
    await runner.stop();

    expect(took.sort((one, other) => one - other)[8], String(took)).to.be.below(AT_ONCE_MS);
    expect(fetches.count).to.be.within(1, 5); // two polls a second
  });
});

/** Counts the queries by which the queue fetches jobs. */
function countFetches() {
  const { query } = pg.Client.prototype;
  const asked = query as (...args: unknown[]) => unknown; // as: it has many forms
  const fetches = {
    count: 0,
    restore() {
      pg.Client.prototype.query = query;
    },
  };
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    if (String(Object(args[0]).name).startsWith('get_job')) fetches.count += 1;
    return asked.apply(this, args);
  } as typeof query; // as: passed on unchanged
  return fetches;
}
