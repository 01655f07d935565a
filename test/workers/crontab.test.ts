import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Logger, run } from 'graphile-worker';
import { Client } from 'pg';
import { openPool } from '../../src/db/pool.ts';
import { freshDatabase } from '../support/postgres.ts';
import { findQueueTable } from '../support/queue.ts';

const CRONTAB = readFileSync(new URL('../../workers/crontab', import.meta.url), 'utf8');
const EVERY_MINUTE = [...CRONTAB.matchAll(/^(?:\* ){5}(\S+)/gm)].map(([, task = '']) => task);
const TASKS = CRONTAB.split('\n').flatMap((line) => /^\S+ \S+ \S+ \S+ \S+ (\S+)/.exec(line)?.[1] ?? []);

describe('the crontab', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let client: Client;
  before(async () => {
    database = await freshDatabase();
    client = new Client({ connectionString: database.url, ssl: false });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  /** Simulates that the last tick of every line was two minutes ago: the queue catches up a missed one at its start. */
  const missedTick = async () => {
    const db = await openPool(database.url, 1, () => {});
    const crontabs = (await findQueueTable(db, 'known_since')).join('.');
    await db.end();
    await client.query(
      `insert into ${crontabs} (identifier, known_since, last_execution)
       select t, now() - interval '1 day', now() - interval '2 minutes' from unnest($1::text[]) t
       on conflict (identifier) do update set last_execution = excluded.last_execution`,
      [TASKS],
    );
  };

  it('runs a task again at the next tick, however often its workers were killed during it', async () => {
    // The state after three kills: one released job with its attempts used up, another still locked by a dead worker.
    for (const [task, key] of [
      ['housekeeping/sweep', 'sweep'],
      ['accounts/sweep', 'accounts-sweep'],
    ])
      await client.query(`select graphile_worker.add_job($1, job_key => $2, max_attempts => 3)`, [task, key]);
    await client.query(`update queue_jobs set attempts = max_attempts`);
    await client.query(`update queue_jobs set locked_by = 'dead', locked_at = now() where key = 'accounts-sweep'`);
    await missedTick();

    const ran = new Set<string>();
    const done = new Promise<void>((resolve) => {
      const taskList = Object.fromEntries(
        TASKS.map((task) => [
          task,
          async () => {
            ran.add(task);
            if (EVERY_MINUTE.every((wanted) => ran.has(wanted))) resolve();
          },
        ]),
      );
      void started(taskList).then((runner) => done.then(() => runner.stop()));
    });
    await done;

    expect([...ran]).to.include.members(['housekeeping/sweep', 'accounts/sweep']);
  });

  it('lets a killed task run again at once, many times within one tick', () => {
    const lines = CRONTAB.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));

    expect(lines.filter((line) => !/[?&]max=25&/.test(line))).to.deep.equal([]);
  });

  const started = (taskList: Parameters<typeof run>[0]['taskList']) =>
    run({
      connectionString: database.url,
      logger: new Logger(() => () => {}),
      noHandleSignals: true,
      pollInterval: 100,
      taskList: taskList ?? {},
      crontab: CRONTAB.replaceAll('?max', '?fill=3m&max'),
    });
});
