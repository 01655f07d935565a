import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startEmbedded } from '../src/db/embedded.ts';
import { rollOut } from './chaos/scenes/rollout.ts';
import { broken, shown, type Verdict } from './chaos/verdicts.ts';
import { migrateBy, stopPostgres } from './support/postgres.ts';

/*
 * node test/previous.ts [commit]: web, worker and API tests of the version before (HEAD~1) on the schema of this one, and processes of both beside
 * each other on one database, as during a release and after a roll-back. The opposite, this version on the schema before, is promised by nobody: a release comes first. Says so, and ends with 0, where there is
 * no version before, or none that this one upgrades.
 */
const HERE = fileURLToPath(new URL('..', import.meta.url));
const COMMIT = process.argv[2] ?? 'HEAD~1';
const TESTS = ['intents', 'netvenue-place', 'exvenue-order', 'webhooks', 'admin-operations'];
const EDITED = /changed or removed since/;

const say = (text: string) => process.stdout.write(`${text}\n`);
const before = await mkdtemp(join(tmpdir(), 'tps-previous-'));
const code = await compare().finally(() => rm(before, { recursive: true, force: true }));
process.exit(code); // also where a scene that ended early has left something open

async function compare(): Promise<number> {
  if (!unpack()) {
    say('Not compared with the version before: there is no history here, or it is shallow.');
    return 0;
  }
  await addModules();
  const problem = await releaseBoth();
  if (problem !== null && EDITED.test(problem)) {
    say(
      'Not compared with the version before: this one has edited numbered files that it applied, so there is no upgrade from it.',
    );
    return 0;
  }
  if (problem !== null) {
    say(`This version cannot be released after the one before:\n${problem}`);
    return 1;
  }
  if (!(await readFile(join(before, 'test/support/postgres.ts'), 'utf8')).includes('TEST_RELEASE')) {
    say('Released after the version before. Its tests cannot be given another schema yet.');
    return 0;
  }
  say(`Web, worker and ${TESTS.length} files of API tests of ${COMMIT} on this schema:`);
  const mocha = [
    'node_modules/mocha/bin/mocha.js',
    ...TESTS.map((name) => `test/api/${name}.test.ts`).filter((file) => existsSync(join(before, file))),
  ];
  const { status } = spawnSync(process.execPath, mocha, {
    cwd: before,
    env: { ...process.env, TEST_RELEASE: await upgrade() },
    stdio: 'inherit',
  });
  return (await runBeside()) ? (status ?? 1) : 1;
}

/**
 * Whether a roll-out and a roll-back of real processes of both versions keep what is promised. One that ends early is played once more, since a busy
 * machine can break its timing; one that shows a broken promise is not.
 */
async function runBeside(): Promise<boolean> {
  process.env.TEST_RELEASE = before;
  const verdicts = (await playBeside().catch(endedEarly)) ?? (await playBeside());
  for (const verdict of verdicts) say(shown(verdict));
  return broken(verdicts).length === 0;
}

function playBeside(): Promise<Verdict[]> {
  say(`Web and worker of ${COMMIT} beside those of this version, on one database:`);
  return rollOut(before).finally(stopPostgres);
}

function endedEarly(error: Error): null {
  say(`Ended early: ${error.stack}`);
  return null;
}

/** False without that commit. */
function unpack(): boolean {
  try {
    const files = execFileSync('git', ['archive', COMMIT], {
      cwd: HERE,
      maxBuffer: 2 ** 30,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    execFileSync('tar', ['-x', '-C', before], { input: files });
    return true;
  } catch {
    return false;
  }
}

/** Those of this version, if its lock file is the same. */
async function addModules(): Promise<void> {
  const lockOf = (root: string) => readFile(join(root, 'package-lock.json'), 'utf8');
  if ((await lockOf(before)) === (await lockOf(HERE)))
    await symlink(join(HERE, 'node_modules'), join(before, 'node_modules'));
  else execFileSync('npm', ['ci'], { cwd: before, stdio: 'inherit' });
}

/**
 * A folder whose release is that of the version before, then this one's: an upgrade keeps what the version before calls, which a new database
 * of this one does not have.
 */
async function upgrade(): Promise<string> {
  const folder = join(before, 'upgrade');
  const of = (root: string) => JSON.stringify(pathToFileURL(join(root, 'src/db/migrate.ts')));
  await mkdir(join(folder, 'src/db'), { recursive: true });
  await writeFile(
    join(folder, 'src/db/migrate.ts'),
    `import { migrate as first } from ${of(before)};
import { migrate as then } from ${of(HERE)};
export async function migrate(url: string) {
  await first(url);
  await then(url);
}
`,
  );
  return folder;
}

/** Migrates a new database by the version before, then by this one. Why it could not, or null. */
async function releaseBoth(): Promise<string | null> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tps-previous-data-'));
  const server = await startEmbedded({ dataDir });
  try {
    for (const folder of [before, HERE]) migrateBy(folder, server.url);
    return null;
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error); // as: a program that failed
  } finally {
    await server.stop('immediate');
    await rm(dataDir, { recursive: true, force: true });
  }
}
