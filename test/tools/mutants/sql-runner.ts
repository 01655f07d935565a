import { DryRunStatus } from '@stryker-mutator/api/test-runner';
import { MochaRunner } from './mocha-runner.ts';

/*
 * Runs test files, given as arguments, for the mutants of SQL that its parent names. With MUTANT set, that one is active
 * while the files load.
 */

/** What the parent asks for: a mutant, and the titles of the tests to run; all without any. */
export type Ask = { id: string; tests: string[] | undefined };
/** The conditions that each test executes, and those that are executed while files load. */
export type Coverage = { perTest: Record<string, Record<string, number>>; static: Record<string, number> };
/** What the parent reads: a first run, or the test that failed for a mutant. */
export type Reported = { broken?: string; coverage?: Coverage; killedBy?: string };

const runner = new MochaRunner({ mochaFiles: process.argv.slice(2) });
const report = (reported: Reported) => process.send?.(reported);

process.on('message', async ({ id, tests }: Ask) => {
  const result = await runner.mutantRun({
    activeMutant: { id },
    mutantActivation: process.env.MUTANT === id ? 'static' : 'runtime',
    ...(tests && { testFilter: tests }),
  });
  report('failureMessage' in result ? { killedBy: result.failureMessage } : {});
});

if (process.env.MUTANT) report({});
else {
  const first = await runner.firstRun();
  if (first.status !== DryRunStatus.Complete) report({ broken: JSON.stringify(first) });
  else report({ coverage: (first.mutantCoverage ?? { perTest: {}, static: {} }) as Coverage }); // as: the conditions' own counts
}
