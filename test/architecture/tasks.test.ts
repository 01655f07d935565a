import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import ts from 'typescript';
import { listTaskNames } from '../../src/intents/task.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

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
