import Mocha from 'mocha';

/**
 * Mocha's own report, with machine-readable lines at its end: `failed file: PATH` for each file with a failure, and
 * last `N passed, N failed`, and `, N skipped` if any were.
 */
export default class ClosingLine extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      for (const file of new Set(this.failures.map((test) => test.file))) console.log(`failed file: ${file}`);
      console.log(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}`);
    });
  }
}
