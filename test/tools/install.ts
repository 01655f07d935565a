import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));

/**
 * Installs the packages of this folder as its lock file names them, unless they are. `npm ci` of the project leaves them out,
 * because neither the service nor `npm test` needs them. Throws where npm fails; npm says why.
 */
export function install(): void {
  if (changedMs('node_modules/.package-lock.json') >= changedMs('package-lock.json')) return;
  process.stderr.write('installing what test/tools/package-lock.json names\n');
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel', 'error', '--prefix', folder];
  const { status, error } = spawnSync('npm', args, { cwd: folder, env: ownEnv(), stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`npm ci in test/tools failed: ${error?.message ?? `exit code ${status}`}`);
}

/** The path of a command that `install` installs. */
export const commandOf = (name: string) => `${folder}node_modules/.bin/${name}`;

/** 0 for a missing file. */
const changedMs = (file: string) => statSync(folder + file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Without what `npm run` adds about the project: it would be installed instead of this folder. */
const ownEnv = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_(package|lifecycle)_.*|npm_config_local_prefix|INIT_CWD)$/.test(name),
    ),
  );
