import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ClientBase } from 'pg';

/**
 * Throws if the file of an applied migration was changed or removed. Where the database `mayBeNewer`, migrations that come
 * after all of these are a later version's: returns whether there are any.
 */
export async function checkApplied(
  client: ClientBase,
  paths: string[],
  { mayBeNewer }: { mayBeNewer: boolean },
): Promise<boolean> {
  const { rows: applied } = await client.query<{ name: string; sha256: string | null }>(
    `select m.name, to_jsonb(m) ->> 'sha256' as sha256
     from migrations m`, // through JSON, because a later migration adds the column
  );
  const digests = await digestsOf(paths);
  const last = [...digests.keys()].toSorted().at(-1) ?? '';
  const isNewer = ({ name }: { name: string }) => mayBeNewer && name > last;
  const known = applied.filter((migration) => !isNewer(migration));
  const edited = known.filter(({ name, sha256 }) => sha256 !== null && sha256 !== digests.get(name));
  if (edited.length > 0) {
    const names = edited.map(({ name }) => name).join(', ');
    throw new Error(
      `Applied to this database and changed or removed since: ${names}. Restore them and add a new migration.`,
    );
  }
  return known.length < applied.length;
}

/** Stores the digests of applied migrations for `checkApplied`. */
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
