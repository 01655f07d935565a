const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Stops a process once, however many signals arrive: a platform may send SIGTERM several times, and only the first one counts.
 * Exits 0 when `stop` has ended, 1 when it failed or took longer than `withinMs`.
 */
export function stopOnSignal(stop: () => Promise<void>, withinMs: number, onError: (error: unknown) => void): void {
  let stopping = false;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      setTimeout(() => exit(1, new Error('The stop took too long')), withinMs).unref();
      stop().then(
        () => process.exit(0),
        (error) => exit(1, error),
      );
    });
  }
  const exit = (code: number, error: unknown) => {
    onError(error);
    process.exit(code);
  };
}
