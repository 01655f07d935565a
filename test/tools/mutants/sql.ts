import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Client } from 'pg';
import { startEmbedded } from '../../../src/db/embedded.ts';
import { TEMPLATE } from '../../support/postgres.ts';
import type { Area } from './area.ts';
import { type Change, changed, listChanges, switchable } from './changes.ts';
import { reasonOf } from './equivalents.ts';
import { isAmong, type Result } from './result.ts';
import type { Ask, Coverage, Reported } from './sql-runner.ts';

const NOT_COPIED = ['.git', '.data', '.stryker-tmp', 'node_modules'];
const PACKAGES = ['node_modules', 'test/tools/node_modules'];
const isOwn = (file: string) => basename(file) !== 'node_modules';

type Mutant = Change & { id: string; file: string };

/** Changes an area's statements and digests in one place at a time, and runs each time the tests that execute it. */
export async function mutateSql({ sql }: Area, files: string[], server: string): Promise<Result[]> {
  const results: Result[] = [];
  for (const { files: all, tests } of sql) {
    const mutants = (await listMutants(all)).filter(({ file, line }) => isAmong(files, file, line));
    if (mutants.length === 0) continue;
    const copy = await copyOf(mutants);
    results.push(...(await runAll(mutants, copy, { tests, server })));
    await rm(copy, { recursive: true });
  }
  return results;
}

async function listMutants(files: string[]): Promise<Mutant[]> {
  const found = await Promise.all(
    files.map(async (file) => listChanges(file, await readFile(file, 'utf8')).map((each) => ({ ...each, file }))),
  );
  return found.flat().map((each, n) => ({ ...each, id: String(n) }));
}

/** A copy of the project in which every change of TypeScript can be switched on while the tests run. */
async function copyOf(mutants: Mutant[]): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'tps-mutants-'));
  for (const name of await readdir('.'))
    if (!NOT_COPIED.includes(name)) await cp(name, join(copy, name), { recursive: true, filter: isOwn });
  for (const name of PACKAGES) await symlink(join(process.cwd(), name), join(copy, name));
  for (const file of new Set(mutants.filter(({ file }) => file.endsWith('.ts')).map(({ file }) => file)))
    await writeFile(
      join(copy, file),
      switchable(
        await readFile(file, 'utf8'),
        mutants.filter((mutant) => mutant.file === file),
      ),
    );
  return copy;
}

type Run = { tests: string[]; server: string };

async function runAll(mutants: Mutant[], copy: string, run: Run): Promise<Result[]> {
  const runner = startRunner(copy, run);
  const { broken, coverage } = await reportOf(runner);
  if (!coverage) throw new Error(broken);
  const results: Result[] = [];
  for (const mutant of mutants) {
    const { file, line, of, what } = mutant;
    const result = { where: `${file}:${line}`, what: `${what} in ${of}` };
    const why = reasonOf(mutant);
    const killedBy = why ? undefined : await runOne(mutant, runner, { coverage, copy, run });
    results.push({ ...result, isKilled: killedBy !== undefined, ...(why && { why }) });
    console.log(
      `${why ? 'equal' : killedBy === undefined ? 'SURVIVED' : 'killed'}  ${result.where}  ${result.what}  ${why ?? firstLine(killedBy)}`,
    );
  }
  runner.kill();
  return results;
}

const firstLine = (text = '') => text.split('\n', 1)[0];

type Around = { coverage: Coverage; copy: string; run: Run };

/** The failure for a mutant. A function of SQL is replaced in the database that those of the tests are copied from. */
async function runOne(
  mutant: Mutant,
  runner: ChildProcess,
  { coverage, copy, run }: Around,
): Promise<string | undefined> {
  const { id, file } = mutant;
  if (file.endsWith('.sql')) {
    const source = await readFile(file, 'utf8');
    await define(run.server, changed(source, mutant));
    const killedBy = await ask(runner, { id, tests: undefined });
    await define(run.server, source);
    return killedBy;
  }
  if (id in coverage.static) {
    const fresh = startRunner(copy, run, id);
    await reportOf(fresh);
    return ask(fresh, { id, tests: undefined }).finally(() => fresh.kill());
  }
  const tests = Object.keys(coverage.perTest).filter((title) => id in (coverage.perTest[title] ?? {}));
  return tests.length > 0 ? ask(runner, { id, tests }) : undefined;
}

async function define(server: string, source: string): Promise<void> {
  const { connection, stop } = await startEmbedded({ dataDir: server });
  const client = new Client({ ...connection, database: TEMPLATE, ssl: false });
  await client.connect();
  await client.query(source);
  await client.end();
  await stop();
}

const startRunner = (copy: string, { tests, server }: Run, mutant = ''): ChildProcess =>
  fork(
    join(copy, 'test/tools/mutants/sql-runner.ts'),
    tests.map((name) => `test/${name}.test.ts`),
    { cwd: copy, stdio: 'inherit', env: { ...process.env, TEST_SERVER: server, MUTANT: mutant } },
  );

/** What failed. A test that only took too long is run once more: a busy machine kills no mutant. */
async function ask(runner: ChildProcess, what: Ask, isAgain = false): Promise<string | undefined> {
  runner.send(what);
  const { killedBy } = await reportOf(runner);
  return !isAgain && killedBy && IS_LATE.test(killedBy) ? ask(runner, what, true) : killedBy;
}

const IS_LATE = /Not within \d+ ms|Timeout of \d+ms/;

async function reportOf(runner: ChildProcess): Promise<Reported> {
  const [reported] = await once(runner, 'message');
  return reported;
}
