import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CALLS_FILE, writeCalls } from '../db/calls.ts';
import { startEmbedded } from '../db/embedded.ts';
import { findCalls } from '../db/find-calls.ts';
import { migrate } from '../db/migrate.ts';
import { dumpSchema, SCHEMA_FILE } from '../db/schema.ts';
import { listTaskNames } from '../intents/task.ts';

/**
 * Writes sql/schema.sql, the schema of an empty database after `npm run migrate`, and sql/calls.json, what the code calls
 * in it. Starts its own temporary server.
 */
const folder = await mkdtemp(path.join(tmpdir(), 'tps-schema-'));
const server = await startEmbedded({ dataDir: path.join(folder, 'data'), settings: { fsync: 'off' } });
try {
  await migrate(server.url);
  await writeFile(SCHEMA_FILE, await dumpSchema(server.url));
  await writeFile(CALLS_FILE, writeCalls(await findCalls(server.url, listTaskNames())));
} finally {
  await server.stop('immediate');
  await rm(folder, { recursive: true });
}
