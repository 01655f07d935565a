import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MigrationBuilder } from 'node-pg-migrate';
import type { ClientBase } from 'pg';

/** Every migration: files of sql/ and its folders, in the order of their numbers wherever they lie. */
export const MIGRATION_FILES = fileURLToPath(new URL('../../sql/**/[0-9][0-9][0-9][0-9]_*.sql', import.meta.url));

const APART = /^-- outside a transaction/i;

/**
 * Reads migrations. A file is one transaction, unless its first line says that it runs outside of one: then its statements, parted
 * by empty lines, run one by one, and the file is written so that it can be begun again.
 */
export const loadMigrations = (paths: string[]) => Promise.all(paths.map(loadMigration));

async function loadMigration(file: string) {
  const text = await readFile(file, 'utf8');
  const up = (pgm: MigrationBuilder) => {
    if (!APART.test(text)) return pgm.sql(text);
    pgm.noTransaction();
    for (const statement of text.split(/;\s*\n/).filter(isStatement)) pgm.sql(statement);
  };
  return { id: file, filePaths: [file], actions: { up, down: false as const } };
}

const isStatement = (text: string) => text.replace(/--.*$/gm, '').trim() !== '';

/** Refuses when a migration that a database has applied is no longer the file it was then. */
export async function checkApplied(client: ClientBase, paths: string[]): Promise<void> {
  const { rows: applied } = await client.query<{ name: string; sha256: string | null }>(
    `select m.name, to_jsonb(m) ->> 'sha256' as sha256
     from migrations m`, // as JSON: before its own migration there is no such column
  );
  const digests = await digestsOf(paths);
  const edited = applied.filter(({ name, sha256 }) => sha256 !== null && sha256 !== digests.get(name));
  if (edited.length > 0) {
    const names = edited.map(({ name }) => name).join(', ');
    throw new Error(`Applied to this database and changed or removed since: ${names}. Undo that, and add a migration.`);
  }
}

/** Keeps the digests of what has been applied, for the next time. */
export async function noteApplied(client: ClientBase, paths: string[]): Promise<void> {
  const digests = await digestsOf(paths);
  await client.query(
    `update migrations m
     set sha256 = f.sha256
     from unnest($1::text[], $2::text[]) as f (name, sha256)
     where m.name = f.name and m.sha256 is null`,
    [[...digests.keys()], [...digests.values()]],
  );
}

async function digestsOf(paths: string[]): Promise<ReadonlyMap<string, string>> {
  const digests = paths.map(async (file): Promise<[string, string]> => {
    const digest = createHash('sha256').update(await readFile(file));
    return [path.basename(file, '.sql'), digest.digest('hex')];
  });
  return new Map(await Promise.all(digests));
}
