import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startEmbedded } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { dumpSchema, SCHEMA_FILE } from '../db/schema.ts';

/** Writes sql/schema.sql: the schema of an empty database after `npm run migrate`. Starts its own temporary server. */
const folder = await mkdtemp(path.join(tmpdir(), 'tps-schema-'));
const server = await startEmbedded({ dataDir: path.join(folder, 'data'), settings: { fsync: 'off' } });
try {
  await migrate(server.url);
  await writeFile(SCHEMA_FILE, await dumpSchema(server.url));
} finally {
  await server.stop('immediate');
  await rm(folder, { recursive: true });
}
