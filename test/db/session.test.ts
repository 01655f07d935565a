import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { readiness } from '../../src/capabilities/health/readiness.ts';
import { openPool } from '../../src/db/pool.ts';
import { withSession } from '../../src/db/session.ts';
import { freshDatabase } from '../support/postgres.ts';

/** They read nothing that a session's parameters change. */
const WITHOUT_DATES = ['src/db/wait.ts', 'src/db/same-database.ts'];
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('the parameters of a session', () => {
  it('are the same whatever the address, the role and the database say, and keep other options of the address', async () => {
    const database = await freshDatabase();
    const address = new URL(withSession(database.url, { lock_timeout: '123' }));
    const given = new URL(database.url);
    given.searchParams.set('options', '-c work_mem=8MB -c DateStyle=SQL,DMY -c idle_session_timeout=5s');
    const client = new pg.Client({ connectionString: withSession(given.href) });
    await client.connect();
    const show = async (name: string) => (await client.query(`show ${name}`)).rows[0]?.[name.toLowerCase()] ?? null;

    const shown = await client.query(`select current_setting('DateStyle') as style, current_setting('TimeZone') as zone,
      current_setting('default_transaction_isolation') as isolation, current_setting('search_path') as path,
      current_setting('idle_session_timeout') as idle`);
    const memory = await show('work_mem');
    await client.end();
    await database.drop();

    expect(shown.rows).to.deep.equal([
      { style: 'ISO, MDY', zone: 'UTC', isolation: 'read committed', path: 'public', idle: '0' },
    ]);
    expect(memory).to.equal('8MB');
    expect(address.searchParams.get('options')).to.match(/-c lock_timeout=123$/);
  });

  it('let a process be ready only if its commits wait for the disk', async () => {
    const database = await freshDatabase();
    const failing = async () => {
      const db = await openPool(database.url, 1, () => {});
      const checks = await readiness(db, { READY_QUEUE_AGE_S: 60 }).failing();
      await db.end();
      return checks;
    };
    const alter = async (how: string) => {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      await client.query(`alter database "${new URL(database.url).pathname.slice(1)}" ${how}`);
      await client.end();
    };

    const before = await failing();
    await alter('set synchronous_commit = off');
    const unsafe = await failing();
    await alter('set synchronous_commit = local');
    const after = await failing();
    await database.drop();

    expect({ before, unsafe, after }).to.deep.equal({ before: [], unsafe: ['session'], after: [] });
  });

  it('are those of every connection that the code opens, but for the one that keeps the embedded server', async () => {
    const bare: string[] = [];
    for await (const file of glob('src/**/*.ts', { cwd: ROOT })) {
      const text = await readFile(`${ROOT}/${file}`, 'utf8');
      const opens = /new (pg\.)?(Client|Pool)\(|createPool\(/.test(text) && !WITHOUT_DATES.includes(file);
      if (opens && !text.includes('withSession(')) bare.push(file);
    }

    expect(bare).to.deep.equal(['src/db/embedded.ts']);
  });
});
