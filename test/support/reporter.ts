import Mocha from 'mocha';

/**
 * Mocha's own report, with machine-readable lines at its end: `failed file: PATH` for each file with a failure, and
 * last `N passed, N failed`, and `, N skipped` if any were.
 */
export default class ClosingLine extends Mocha.reporters.Spec {
  override epilogue(): void {
    try {
      super.epilogue(); // throws for an error outside of tests that came from another process
    } finally {
      const { passes, failures, pending } = this.stats;
      for (const file of new Set(this.failures.map((test) => test.file))) console.log(`failed file: ${file}`);
      console.log(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}`);
    }
  }
}
