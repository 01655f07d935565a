import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parseCrontab } from 'graphile-worker';
import ts from 'typescript';
import { listTaskNames } from '../../src/intents/task.ts';
import { isTrading } from '../../src/runtime/runners.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const read = (path: string) => readFile(join(root, path), 'utf8');
const PLANS = ['sql/functions/**/*.sql', 'src/{capabilities,intents,venues}/**/*.ts'];
const NAMES_THEM = 'sql/functions/queue/drop_superseded_jobs.sql'; // and plans none

/** Tasks are imported by their path, which hides their types. Here each is assigned to what the worker calls. */
const fits = (name: string, n: number) =>
  `import task${n} from './workers/${name}.ts';\nexport const fits${n}: Task<never, WorkerRuntime> = task${n};`;

describe('tasks', () => {
  it('use only what the worker process hands to them', async function () {
    this.timeout(120_000);
    const names = listTaskNames();
    const imports = [
      `import type { Task } from './src/intents/task.ts';`,
      `import type { WorkerRuntime } from './src/runtime/worker.ts';`,
    ];

    const wrong = 'export const wrong: Task<never, WorkerRuntime> = async (_, deps: { nothing: 1 }) => {};';
    const lines = [...imports, wrong, ...names.map(fits)];

    expect(await linesWithTypeErrors(lines.join('\n'))).to.deep.equal([imports.length]);
  });

  it('are each planned, by the crontab or by code that names them, and the crontab plans no other', async () => {
    const crontab = (await read('workers/crontab')).split('\n').filter((line) => line !== '');
    const periodic = crontab.map((line) => line.split(' ')[5]);
    const planning = await Array.fromAsync(glob(PLANS, { cwd: root, exclude: [NAMES_THEM] }), read);

    const unplanned = listTaskNames().filter(
      (task) => !periodic.includes(task) && !planning.some((text) => text.includes(`'${task}'`)),
    );

    expect(unplanned).to.deep.equal([]);
    expect(listTaskNames()).to.include.members(periodic);
  });

  it('are made up for if they run less often than every hour and no worker runs at their minute', async () => {
    const rare = parseCrontab(await read('workers/crontab')).filter(({ match }) => {
      const hours = Array.from({ length: 24 }, (_, hour) => hour);
      const isAt = (hour: number, min: number) => match({ min, hour, date: 1, month: 1, dow: 1 });
      return !hours.every((hour) => Array.from({ length: 60 }, (_, min) => isAt(hour, min)).includes(true));
    });

    expect(rare.map(({ task }) => task)).to.deep.equal(['ledger/prove']);
    for (const { task, options } of rare) expect(options.backfillPeriod, task).to.equal(12 * 3_600_000);
  });

  it('are outbound in SQL, which announces their jobs, if they are for the runner that executes them', async () => {
    const [, list = ''] = / in \((.*)\)/.exec(await read('sql/functions/queue/is_outbound.sql')) ?? [];
    const areas = [...list.matchAll(/'(\w+)'/g)].map(([, area]) => String(area));

    for (const task of listTaskNames())
      expect(areas.includes(task.split('/')[0] ?? ''), task).to.equal(!isTrading(task));
    for (const area of areas) expect(isTrading(`${area}/`), area).to.equal(false);
  });
});

/** The lines, from 0, with type errors in one more file at the top of the project. */
async function linesWithTypeErrors(text: string): Promise<number[]> {
  const file = join(root, 'tasks.check.ts');
  const config = ts.parseConfigFileTextToJson('tsconfig.json', await readFile(join(root, 'tsconfig.json'), 'utf8'));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === file || fileExists(path);
  host.getSourceFile = (path, ...more) =>
    path === file
      ? ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
      : getSourceFile.call(host, path, ...more);
  const program = ts.createProgram([file], { ...options, noEmit: true }, host);
  const source = program.getSourceFile(file);
  if (!source) throw new Error('The file was not read');
  const starts = program.getSemanticDiagnostics(source).map(({ start = 0 }) => start);
  return [...new Set(starts.map((start) => source.getLineAndCharacterOfPosition(start).line))];
}
