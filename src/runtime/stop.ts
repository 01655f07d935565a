import { endLogs } from './log.ts';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Stops the process on the first SIGTERM or SIGINT. Later signals are ignored: a platform may send SIGTERM several
 * times. Waiting log lines are written for at most 2 s. Exits with 0 when `stop` resolves, and with 1 when it rejects
 * or takes longer than `withinMs`.
 */
export function stopOnSignal(stop: () => Promise<void>, withinMs: number, onError: (error: unknown) => void): void {
  let stopping = false;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      setTimeout(() => exit(1, new Error('Shutdown timed out')), withinMs).unref();
      stop().then(
        () => exit(0),
        (error) => exit(1, error),
      );
    });
  }
  const exit = async (code: number, error?: unknown) => {
    if (error !== undefined) onError(error);
    if (await endLogs()) process.kill(process.pid, 'SIGKILL');
    process.exit(code);
  };
}
