import path from 'node:path';
import type { Actor } from '../capabilities/admin/audit/commands.ts';
import { databaseTls, databaseUrl, dataFolder } from '../config.ts';
import { startEmbedded } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { type Db, openPool } from '../db/pool.ts';
import { withTls } from '../db/tls.ts';
import type { CommandName } from './table.ts';

/**
 * Runs `work` on the database that DATABASE_URL names. Without it, on the embedded database of `npm start`: it starts
 * the server if it is not running and creates the database if it does not exist.
 */
export async function onDatabase<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
  const named = databaseUrl();
  if (!named) return onEmbedded(work);
  return onPool(await withTls(named, databaseTls(), abandon), work);
}

/** Who acts in the audit of what a command changes: nobody has logged in. */
export const operatorAtShell = (command: CommandName): Actor => ({
  adminId: null,
  address: 'command line',
  requestId: command,
});

async function onEmbedded<Result>(work: (db: Db) => Promise<Result>): Promise<Result> {
  const server = await startEmbedded({ dataDir: path.join(dataFolder(), 'postgres') });
  try {
    await migrate(server.url);
    return await onPool(server.url, work);
  } finally {
    await server.stop(); // does not stop a server that another process started
  }
}

/** A server that does not respond is waited for by processes. A command fails: who typed it has to know. */
const abandon = (error: Error): never => {
  throw error;
};

const onError = (error: Error) => void process.stderr.write(`${error.message}\n`);

async function onPool<Result>(url: string, work: (db: Db) => Promise<Result>): Promise<Result> {
  const db = await openPool(url, 1, onError);
  return work(db).finally(() => db.end());
}
