import { readFileSync } from 'node:fs';
import { Stryker } from '@stryker-mutator/core';
import type { Area } from './area.ts';
import type { Result } from './result.ts';

/** Starting a service on a busy machine takes seconds. */
const TIMEOUT_MS = 120_000;
/** Mutants that do not run at all, and those left out, say nothing about the tests. */
const COUNTED = ['Killed', 'Timeout', 'Survived', 'NoCoverage'];

/** Mutates the code of an area by Stryker, and runs for each mutant the tests that execute it. */
export async function mutateCode(
  { code: { files: code, tests } }: Area,
  files: string[],
  concurrency: number,
): Promise<Result[]> {
  const ofFile = (file: string) => files.filter((each) => each.replace(/:\d+$/, '') === file).map(asRange);
  const mutate = files.length === 0 ? code.map(rangeOf) : code.flatMap(ofFile);
  if (mutate.length === 0) return [];
  const stryker = new Stryker({
    mutate,
    mochaFiles: tests.map((name) => `test/${name}.test.ts`),
    testRunner: 'mocha-esm',
    plugins: ['./test/tools/mutants/mocha-runner.ts', './test/tools/mutants/ignore-sql.ts'],
    ignorers: ['sql'],
    coverageAnalysis: 'perTest',
    concurrency,
    timeoutMS: TIMEOUT_MS,
    dryRunTimeoutMinutes: 30,
    reporters: ['dots'],
    warnings: false,
    disableTypeChecks: true,
    tempDirName: '.stryker-tmp',
    cleanTempDir: 'always',
  });
  const found = await stryker.runMutationTest();
  return found
    .filter(({ status }) => COUNTED.includes(status))
    .map(({ fileName, location, replacement, mutatorName, status }) => ({
      where: `${fileName.slice(`${process.cwd()}/`.length)}:${location.start.line}`,
      what: `${mutatorName}: ${replacement ?? ''}`.replaceAll(/\s+/g, ' '),
      isKilled: status === 'Killed' || status === 'Timeout',
    }));
}

/** `FILE:LINE` of the command line as Stryker's range. */
const asRange = (file: string) => file.replace(/:(\d+)$/, ':$1-$1');

/** The lines of `file#function` as Stryker names them; a file alone is unchanged. */
function rangeOf(mutated: string): string {
  const [file = '', name] = mutated.split('#');
  if (name === undefined) return file;
  const lines = readFileSync(file, 'utf8').split('\n');
  const first = lines.findIndex((line) => line.startsWith(`function ${name}(`));
  return `${file}:${first + 1}-${lines.indexOf('}', first) + 1}`;
}
