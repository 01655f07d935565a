import path from 'node:path';
import { databaseUrl, dataFolder } from '../../src/config.ts';
import { startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { type Db, openPool } from '../../src/db/pool.ts';

/**
 * Does some work on the database that DATABASE_URL names. Without it, on the one of `npm start`, which may be running or
 * not, and is made where there is none yet.
 */
export async function onDatabase<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
  const named = databaseUrl();
  return named ? onPool(named, work) : onEmbedded(work);
}

async function onEmbedded<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
  const server = await startEmbedded({ dataDir: path.join(dataFolder(), 'postgres') });
  try {
    await migrate(server.url);
    return await onPool(server.url, work);
  } finally {
    await server.stop(); // leaves alone what another process started
  }
}

async function onPool<Result>(url: string, work: (db: Db) => Promise<Result>): Promise<Result> {
  const db = await openPool(url, 1, (error) => process.stderr.write(`${error.message}\n`));
  return work(db).finally(() => db.end());
}
