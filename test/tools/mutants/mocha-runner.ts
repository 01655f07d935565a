import { INSTRUMENTER_CONSTANTS, type InstrumenterContext } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import Mocha from 'mocha';

const { EVENT_SUITE_BEGIN, EVENT_TEST_PASS, EVENT_TEST_FAIL } = Mocha.Runner.constants;
const TIMEOUT_MS = 60_000;

/** The results are read from the runner's events. */
class Silent extends Mocha.reporters.Base {}

/**
 * Runs mocha's ES modules for Stryker, whose own plugin does not load with this version of mocha. What a suite's hooks
 * execute counts as covered by the first test of the suite.
 */
export class MochaRunner implements TestRunner {
  static readonly inject = tokens(commonTokens.options);
  readonly #mocha: Mocha;
  #isLoaded = false;

  constructor({ mochaFiles }: Record<string, unknown>) {
    this.#mocha = new Mocha({ timeout: TIMEOUT_MS, reporter: Silent, bail: true });
    this.#mocha.cleanReferencesAfterRun(false);
    for (const file of mochaFiles as string[]) this.#mocha.addFile(file); // as: stryker.ts sets the option
  }

  capabilities() {
    return { reloadEnvironment: false };
  }

  /** Runs all tests twice: mutants are run in processes that have run the tests before. */
  async dryRun(_: DryRunOptions): Promise<DryRunResult> {
    const first = await this.firstRun();
    const again = failed(await this.#run(undefined, 'runtime'));
    return again.length > 0 ? { status: DryRunStatus.Error, errorMessage: again.join('\n') } : first;
  }

  /** Runs all tests once, with what each of them executes. */
  async firstRun(): Promise<DryRunResult> {
    const first = await this.#run(undefined, 'runtime');
    const { mutantCoverage } = context();
    const broken = failed(first);
    if (broken.length > 0) return { status: DryRunStatus.Error, errorMessage: broken.join('\n') };
    return { status: DryRunStatus.Complete, tests: first, ...(mutantCoverage && { mutantCoverage }) };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, mutantActivation }: OneRun): Promise<MutantRunResult> {
    Object.assign(context(), { hitLimit, hitCount: hitLimit === undefined ? undefined : 0 });
    this.#mocha.grep(testFilter ? new RegExp(testFilter.map((id) => `^${escaped(id)}$`).join('|')) : /^/);
    const tests = await this.#run(activeMutant.id, mutantActivation);
    const isEndless = determineHitLimitReached(context().hitCount, hitLimit);
    return toMutantRunResult(isEndless ?? { status: DryRunStatus.Complete, tests });
  }

  async #run(mutant: string | undefined, activation: MutantRunOptions['mutantActivation']): Promise<TestResult[]> {
    if (!this.#isLoaded) {
      activate(activation === 'static' ? mutant : undefined);
      const broken = await this.#load();
      if (broken) return [broken];
    }
    activate(mutant);
    const tests: TestResult[] = [];
    await new Promise((resolve) => {
      const runner = this.#mocha.run(resolve);
      runner.on(EVENT_SUITE_BEGIN, (suite: Mocha.Suite) => cover(firstOf(suite)));
      runner.on('test', (test: Mocha.Test) => cover(test));
      runner.on(EVENT_TEST_PASS, (test: Mocha.Test) => tests.push({ ...named(test), status: TestStatus.Success }));
      runner.on(EVENT_TEST_FAIL, (test: Mocha.Test, error: Error) =>
        tests.push({
          ...named(test),
          status: TestStatus.Failed,
          failureMessage: `${test.fullTitle()}: ${error.stack}`,
        }),
      );
    });
    return tests;
  }

  /** Loads the test files; a file that throws has failed like a test. */
  async #load(): Promise<TestResult | null> {
    try {
      await this.#mocha.loadFilesAsync();
      this.#isLoaded = true;
      return null;
    } catch (error) {
      return { ...NOT_LOADED, failureMessage: String(error) };
    }
  }
}

/** What the runner needs to know of a mutant. */
type OneRun = Pick<MutantRunOptions, 'testFilter' | 'hitLimit' | 'mutantActivation'> & { activeMutant: { id: string } };

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const NOT_LOADED = { id: 'load', name: 'load', timeSpentMs: 0, status: TestStatus.Failed } as const;

/** Stryker's global, which the instrumented files read and write too. */
function context(): InstrumenterContext {
  const all = globalThis as unknown as Record<string, InstrumenterContext>; // as: the name is Stryker's
  all[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {};
  return all[INSTRUMENTER_CONSTANTS.NAMESPACE] as InstrumenterContext;
}

const activate = (mutant: string | undefined) => Object.assign(context(), { activeMutant: mutant });

function cover(test: Mocha.Test | undefined): void {
  if (test) context().currentTestId = test.fullTitle();
}

const firstOf = ({ tests, suites }: Mocha.Suite): Mocha.Test | undefined =>
  tests[0] ?? suites.map(firstOf).find((test) => test !== undefined);

const named = (test: Mocha.Test) => ({
  id: test.fullTitle(),
  name: test.fullTitle(),
  timeSpentMs: test.duration ?? 0,
  ...(test.file && { fileName: test.file }),
});

const failed = (tests: TestResult[]) =>
  tests.flatMap((test) => (test.status === TestStatus.Failed ? test.failureMessage : []));

/** Stryker loads what this file declares. */
export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'mocha-esm', MochaRunner)];
