import { glob } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { runMigrations } from 'graphile-worker';
import { runner } from 'node-pg-migrate';
import { Client } from 'pg';
import { readDefinitions } from '../../src/db/definitions.ts';
import { migrate } from '../../src/db/migrate.ts';
import { loadMigrations, MIGRATION_FILES } from '../../src/db/migrations.ts';
import { AS_OF, ONE_OF_EACH } from '../support/one-of-each.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';

/** The first and last migrations of layouts that this one replaced. */
const EARLIER_LAYOUTS = {
  'the layout of 59 files': ['0001_partners', '0002_intents'],
  'the layout of 35 files': [
    '0001_migrator',
    '0002_callers',
    '0016_operators',
    '0017_exchange_budget',
    '0035_comments',
  ],
};

describe('migrations', () => {
  let server: Awaited<ReturnType<typeof freshDatabase>>;
  let maker: Client;
  let names: string[];
  let made = 0;
  before(async () => {
    server = await freshDatabase();
    maker = await connect(server.url);
    names = (await Array.fromAsync(glob(MIGRATION_FILES))).map((file) => path.basename(file, '.sql')).sort();
  });
  after(async () => {
    await maker.end();
    await server.drop();
  });

  /** An empty database for one piece of work, dropped afterwards. */
  async function inEmpty(work: (url: string, client: Client) => Promise<void>): Promise<void> {
    const name = `empty_${process.pid}_${++made}`;
    await maker.query(`create database ${name}`);
    const url = server.url.replace(/[^/]+$/, name);
    const client = await connect(url);
    await work(url, client).finally(async () => {
      await client.end();
      await maker.query(`drop database ${name} with (force)`);
    });
  }

  /** Migrates an empty database to the state of an existing one, with a row in every table. */
  async function asOfThen(url: string, client: Client): Promise<void> {
    await runMigrations({ connectionString: url });
    const count = names.filter((name) => name <= AS_OF).length;
    await runner({
      databaseUrl: url,
      dir: MIGRATION_FILES,
      useGlob: true,
      migrationLoaderStrategies: [{ extensions: ['.sql'], loader: loadMigrations }],
      direction: 'up',
      migrationsTable: 'migrations',
      count,
      log: () => {},
    });
    await client.query(ONE_OF_EACH);
  }

  it('keep every row of an existing database, and do nothing when run again', () =>
    inEmpty(async (url, client) => {
      await asOfThen(url, client);
      const before = await everyRow(client);

      await migrate(url);
      const after = await everyRow(client);
      const applied = await client.query('select * from migrations order by id');
      await migrate(url);
      const again = await client.query('select * from migrations order by id');

      expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).to.deep.equal([]);
      for (const [table, rows] of Object.entries(before)) {
        const kept = after[table]?.map((row, n) => pick(row, Object.keys(rows[n] ?? {})));
        expect(kept, table).to.deep.equal(rows);
      }
      expect(applied.rows.map(({ name }) => name)).to.deep.equal(names);
      expect(again.rows).to.deep.equal(applied.rows);
      expect(applied.rows.filter(({ sha256 }) => !/^[0-9a-f]{64}$/.test(sha256))).to.deep.equal([]);
    })).timeout(30_000);

  it('keep everything that the code of the previous version calls', () =>
    inEmpty(async (url, client) => {
      await asOfThen(url, client);
      const before = await everythingCalled(client);

      await migrate(url);

      const after = new Set(await everythingCalled(client));
      expect(before.length).to.be.above(100);
      expect(before.filter((called) => !after.has(called))).to.deep.equal([]);
    })).timeout(30_000);

  it('are applied once by two concurrent runs, the second of which waits', () =>
    inEmpty(async (url, client) => {
      const lines: string[] = [];
      await Promise.all([1, 2, 3].map(() => migrate(url, (line) => lines.push(line))));

      const { rows } = await client.query('select name from migrations order by id');
      const { rows: definitions } = await client.query('select name from definitions');
      expect(rows.map(({ name }) => name)).to.deep.equal(names);
      expect(definitions).to.have.length((await readDefinitions()).length);
      expect(lines.filter((line) => /^Another release/.test(line))).to.have.length(2); // each says once for what it waits
    })).timeout(30_000);

  it('release the lock queue for traffic when a lock is not granted, and retry', () =>
    inEmpty(async (url, client) => {
      await asOfThen(url, client);
      const traffic = await connect(url);
      await traffic.query(`set statement_timeout = '2s'`); // a statement blocked behind a migration would fail here
      await client.query('begin; lock table registrations in row exclusive mode'); // a transaction left open
      const data: string[] = [];
      let isOpen = true;
      const migrating = migrate(url, (line) => data.push(line), { lockMs: 100, pauseMs: 50, attempts: 1_000 });
      const writing = (async () => {
        for (let written = 0; ; written += 1) {
          if (!isOpen) return written;
          await traffic.query('update registrations set polls = polls + 1');
        }
      })();

      await until(
        'a migration that was sent back thrice',
        () => data.filter((line) => /did not come/.test(line)).length > 2,
      );
      isOpen = false;
      const written = await writing;
      const { rows: held } = await traffic.query('select count(*)::integer as count from definitions');
      await client.query('commit');
      await migrating;
      const { rows } = await client.query('select count(*)::integer as count from definitions');
      await traffic.end();

      expect(written).to.be.above(3);
      expect(held[0].count).to.equal(0);
      expect(rows[0].count).to.equal((await readDefinitions()).length);
    })).timeout(30_000);

  it('give up with the migration’s name when the lock is never granted', () =>
    inEmpty(async (url, client) => {
      await asOfThen(url, client);
      await client.query('begin; lock table registrations in row exclusive mode');

      const error = await migrate(url, () => {}, { lockMs: 50, pauseMs: 1, attempts: 2 }).catch((thrown) => thrown);
      await client.query('rollback');

      expect(String(error)).to.match(/lock timeout/);
    })).timeout(30_000);

  for (const [layout, applied] of Object.entries(EARLIER_LAYOUTS))
    it(`reject a database of ${layout} with instructions, and leave it unchanged`, () =>
      inEmpty(async (url, client) => {
        await client.query(`
          create table migrations (id serial primary key, name text not null, run_on timestamp not null, sha256 text);
          create table partners (id text primary key)`);
        await client.query('insert into migrations (name, run_on) select unnest($1::text[]), now()', [applied]);
        const before = await everythingIn(client);

        const error = await migrate(url).catch((thrown) => thrown);

        expect(error.message).to.match(
          new RegExp(`^This database .*${applied[0]}.* left as it is: set DATABASE_URL to an empty database or,`),
        );
        expect(error.message).to.match(/remove the data folder or set DATA_DIR to a new one\.$/);
        expect(await everythingIn(client)).to.deep.equal(before);
      })).timeout(30_000);

  it('reject a file that was edited after it was applied, before anything else', async () => {
    const database = await freshDatabase();
    const client = await connect(database.url);
    await client.query(`update migrations set sha256 = repeat('0', 64) where name = '0003_intents'`);

    const error = await migrate(database.url).catch((thrown) => thrown);
    await client.end();
    await database.drop();

    expect(String(error)).to.match(/changed or removed since: 0003_intents\./);
  });
});

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {}); // its database is dropped under it
  await client.connect();
  return client;
}

/** Every schema and relation, and the applied migrations. */
async function everythingIn(client: Client): Promise<unknown> {
  const { rows } = await client.query(`
    select n.nspname, c.relname, c.oid::text
    from pg_namespace n
    left join pg_class c on c.relnamespace = n.oid
    where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    order by 1, 2`);
  const { rows: applied } = await client.query('select * from migrations order by id');
  return { rows, applied };
}

type Row = Record<string, unknown>;

/** Every row of every table of the service, sorted. */
async function everyRow(client: Client): Promise<Record<string, Row[]>> {
  const { rows: tables } = await client.query(`
    select c.relname as name
    from pg_class c
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname not in ('migrations', 'definitions')`);
  const all: Record<string, Row[]> = {};
  for (const { name } of tables) {
    const { rows } = await client.query(`select to_jsonb(t) as row from ${name} t order by t.ctid`);
    all[name] = rows.map(({ row }) => row);
  }
  return all;
}

/** What statements reference: columns, and functions with every list of arguments they can be called with. */
async function everythingCalled(client: Client): Promise<string[]> {
  const { rows } = await client.query(`
    select p.proname || '(' || array_to_string(array(
        select format_type(a.type, null)
        from unnest(p.proargtypes::oid[]) with ordinality a (type, n)
        where a.n <= k
        order by a.n
      ), ', ') || ')' as called
    from pg_proc p
    cross join generate_series((p.pronargs - p.pronargdefaults)::integer, p.pronargs::integer) k
    where p.pronamespace = 'public'::regnamespace
    union all
    select c.table_name || '.' || c.column_name
    from information_schema.columns c
    where c.table_schema = 'public'
    order by 1`);
  return rows.map(({ called }) => called);
}

const pick = (row: Row, names: string[]) => Object.fromEntries(names.map((name) => [name, row[name]]));
