import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../src/db/embedded/postmaster.ts';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';

/** A migrated database whose server can be made to crash: it loses what was not on disk. */
export type CrashableDatabase = {
  url: string;
  connection: Embedded['connection'];
  /** Stops the server as a crash does. */
  crash(): Promise<void>;
  /** Crashes it, unless it has crashed already, and starts it again on the same data and address. */
  restart(): Promise<void>;
  drop(): Promise<void>;
};

/** Starts a separate server with PostgreSQL's durable settings: a commit is on disk before it is acknowledged. */
export async function openCrashable(): Promise<CrashableDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), `tps-test-${process.pid}-crash-`));
  let server = await startEmbedded({ dataDir });
  process.once('exit', () => isAlive(server.pid()) && process.kill(server.pid(), 'SIGQUIT'));
  await migrate(server.url);
  return {
    url: server.url,
    connection: server.connection,
    crash: () => server.stop('immediate'),
    async restart() {
      await server.stop('immediate');
      server = await startEmbedded({ dataDir });
    },
    async drop() {
      await server.stop('immediate');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
