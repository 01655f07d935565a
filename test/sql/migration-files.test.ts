import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { runner } from 'node-pg-migrate';
import { Client } from 'pg';
import { migrate } from '../../src/db/migrate.ts';
import { loadMigrations } from '../../src/db/migrations.ts';
import { freshDatabase } from '../support/postgres.ts';
import { until } from '../support/processes.ts';

const BUILT_AND_WAITING = `select from pg_stat_progress_create_index where phase like 'waiting for old snapshots'`;

describe('a migration outside a transaction', () => {
  let server: Awaited<ReturnType<typeof freshDatabase>>;
  let client: Client;
  let folder: string;
  before(async () => {
    server = await freshDatabase();
    client = new Client({ connectionString: server.url });
    await client.connect();
    folder = await mkdtemp(path.join(tmpdir(), 'migrations-'));
  });
  after(async () => {
    await client.end();
    await server.drop();
    await rm(folder, { recursive: true });
  });

  async function run(file: string, text: string) {
    await writeFile(path.join(folder, file), text);
    return runner({
      databaseUrl: server.url,
      dir: path.join(folder, '*.sql'),
      useGlob: true,
      migrationLoaderStrategies: [{ extensions: ['.sql'], loader: loadMigrations }],
      direction: 'up',
      migrationsTable: 'later_migrations',
      log: () => {},
    });
  }

  it('may build an index without blocking traffic, and starts again after an interruption', async () => {
    const text = (last: string) => `-- Outside a transaction

drop index concurrently if exists partners_by_name;

-- For a search.
create index concurrently partners_by_name on partners (name);

${last}
`;
    const interrupted = await run('9001_partners_by_name.sql', text('select 1 / 0;')).catch((thrown) => thrown);
    const applied = await run('9001_partners_by_name.sql', text('select 1;'));

    const { rows } = await client.query(
      `select indisvalid from pg_index where indexrelid = to_regclass('partners_by_name')`,
    );
    expect(String(interrupted)).to.match(/division by zero/);
    expect(applied.map(({ name }) => name)).to.deep.equal(['9001_partners_by_name']);
    expect(rows).to.deep.equal([{ indisvalid: true }]);
  });

  it('waits for older transactions, instead of building the index again and again', async () => {
    await client.query(`
      delete from migrations where name >= '0056_registrations_by_wallet';
      drop index registrations_by_wallet;
      drop table processor_accounts, own_networks;
      alter table prop_accounts drop column shown_at;
      alter table exchange_fills drop column exit_of`);
    const reader = new Client({ connectionString: server.url });
    await reader.connect();
    await reader.query('begin isolation level repeatable read; select from partners'); // as a report or a backup
    const migrating = migrate(server.url, () => {}, { lockMs: 100, attempts: 1 }).catch((thrown) => thrown);
    await until('the index to wait', async () => (await client.query(BUILT_AND_WAITING)).rowCount || null);
    await sleep(300);
    await reader.query('commit');
    const error = await migrating;
    await reader.end();
    const { rows } = await client.query(
      `select indisvalid from pg_index where indexrelid = to_regclass('registrations_by_wallet')`,
    );

    expect(String(error)).to.equal('undefined');
    expect(rows).to.deep.equal([{ indisvalid: true }]);
  }).timeout(30_000);
});
