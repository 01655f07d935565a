import Mocha from 'mocha';

const LONG_S = 5;

/**
 * Mocha's own report, with machine-readable lines at its end: `N s in PATH` for each file whose tests took long, without
 * their hooks, `failed file: PATH` for each file with a failure, and last `N passed, N failed`, and `, N skipped` if any were.
 */
export default class ClosingLine extends Mocha.reporters.Spec {
  readonly #ms = new Map<string, number>();

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('test end', ({ file = '', duration = 0 }) => this.#ms.set(file, (this.#ms.get(file) ?? 0) + duration));
  }

  override epilogue(): void {
    try {
      super.epilogue(); // throws for an error outside of tests that came from another process
    } finally {
      const { passes, failures, pending } = this.stats;
      for (const [file, ms] of this.#ms)
        if (ms >= LONG_S * 1_000) console.log(`${Math.round(ms / 1_000)} s in ${file}`);
      for (const file of new Set(this.failures.map((test) => test.file))) console.log(`failed file: ${file}`);
      console.log(`${passes} passed, ${failures} failed${pending ? `, ${pending} skipped` : ''}`);
    }
  }
}
