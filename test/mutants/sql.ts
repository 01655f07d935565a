import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startEmbedded } from '../../src/db/embedded.ts';
import { TEMPLATE } from '../support/postgres.ts';
import type { Area } from './areas.ts';
import { listConditions, without } from './conditions.ts';
import type { Result } from './result.ts';

const COPIED = ['src', 'sql', 'workers', 'test', 'package.json', '.mocharc.json'];
const RUN_MS = 300_000;

/** Leaves out the conditions of an area's statements one by one, and runs the area's tests each time. */
export async function mutateSql({ sql }: Area, files: string[], server: string): Promise<Result[]> {
  const mutated = sql.flatMap(({ files: all, tests }) =>
    all.filter((file) => files.length === 0 || files.includes(file)).map((file) => ({ file, tests })),
  );
  if (mutated.length === 0) return [];
  const copy = await mkdtemp(join(tmpdir(), 'tps-mutants-'));
  for (const name of COPIED) await cp(name, join(copy, name), { recursive: true });
  await symlink(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
  const results: Result[] = [];
  for (const { file, tests } of mutated) {
    const source = await readFile(file, 'utf8');
    for (const condition of listConditions(source)) {
      await put(copy, server, file, without(source, condition));
      const isKilled = !(await pass(copy, server, tests));
      results.push({ where: `${file}:${condition.line}`, what: `true for ${condition.text}`, isKilled });
      process.stdout.write(isKilled ? '.' : 'S');
    }
    await put(copy, server, file, source);
  }
  await rm(copy, { recursive: true });
  return results;
}

/** Writes a file of the copy; a function of SQL is also replaced in the database that the tests' own are copied from. */
async function put(copy: string, server: string, file: string, source: string): Promise<void> {
  await writeFile(join(copy, file), source);
  if (!file.endsWith('.sql')) return;
  const { connection, stop } = await startEmbedded({ dataDir: server });
  const client = new Client({ ...connection, database: TEMPLATE, ssl: false });
  await client.connect();
  await client.query(source);
  await client.end();
  await stop();
}

/** Whether the tests pass in the copy. Tests that take too long have failed. */
async function pass(copy: string, server: string, tests: string[]): Promise<boolean> {
  const files = tests.map((name) => `test/${name}.test.ts`);
  const child = spawn(join(copy, 'node_modules/.bin/mocha'), ['--bail', '--reporter', 'min', ...files], {
    cwd: copy,
    stdio: 'ignore',
    timeout: RUN_MS,
    env: { ...process.env, TEST_SERVER: server },
  });
  const [code] = await once(child, 'close');
  return code === 0;
}
