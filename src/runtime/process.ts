import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { type Metrics, openMetrics } from '../metrics/registry.ts';
import { type Running, withMetrics } from '../metrics/serve.ts';
import { withDatabaseTls } from './database.ts';
import { endLogs, openLog } from './log.ts';
import { settingsOrExit } from './settings.ts';
import { stopOnSignal } from './stop.ts';

/**
 * What the queue of graphile-worker 0.18 throws where nothing can catch it: a runner that is released returns the jobs it
 * fetched ahead outside of what its release waits for. Those jobs are released as a dead worker's are.
 */
const NOT_RETURNED = /^Error occurred whilst returning jobs from local queue/;

/** Keeps a process with runners alive when the queue throws that; anything else that nobody catches ends it. */
export function outliveQueue(log: Pick<Logger, 'warn'>): void {
  process.on('unhandledRejection', (err) => {
    if (!(err instanceof Error && NOT_RETURNED.test(err.message))) throw err;
    log.warn({ err }, 'jobs were not returned to the queue');
  });
}

/** Runs a part of the service as a process of its own, by its environment, with its metrics served, until a signal stops it. */
export async function runProcess(
  name: 'web' | 'worker',
  start: (config: Config, log: Logger, metrics: Metrics) => Promise<Running>,
  stopWithinMs: number,
): Promise<void> {
  const given = settingsOrExit();
  const metrics = openMetrics();
  const log = openLog(given, name, metrics.noteAlert);
  outliveQueue(log);
  const started = orExit(log, async () =>
    withMetrics(await start(await withDatabaseTls(given, log), log, metrics), [name]),
  );
  const stop = async () => (await Promise.race([started, sleep(STARTS_WITHIN_MS, null)]))?.stop();
  stopOnSignal(stop, stopWithinMs, (err) => log.fatal({ err }, 'shutdown failed'));
  await started;
}

/**
 * How long a process that is stopped while it starts may go on starting. One that waits for its database has nothing to
 * stop.
 */
export const STARTS_WITHIN_MS = 1_000;

/** The result of what a process begins with. Where that fails, one log line says why, and the process ends. */
export async function orExit<Result>(log: Logger, begin: () => Promise<Result>): Promise<Result> {
  try {
    return await begin();
  } catch (err) {
    log.fatal({ err }, 'could not start');
    if (await endLogs()) process.kill(process.pid, 'SIGKILL');
    process.exit(1);
  }
}
