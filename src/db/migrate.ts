import { fileURLToPath } from 'node:url';
import { runMigrations } from 'graphile-worker';
import { runner } from 'node-pg-migrate';

const SQL_FOLDER = fileURLToPath(new URL('../../sql', import.meta.url));

/** Brings a database up to date: the queue's schema, then ours. Safe to run twice and side by side: the second waits. */
export async function migrate(url: string, log: (line: string) => void = () => {}): Promise<void> {
  await runMigrations({ connectionString: url });
  await runner({
    databaseUrl: url,
    dir: SQL_FOLDER,
    direction: 'up',
    migrationsTable: 'migrations',
    advisoryLockMode: 'wait',
    ignorePattern: '(?!\\d{4}_.*\\.sql$).*',
    log,
  });
}
