import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { type Running, withMetrics } from '../metrics/serve.ts';
import { stopOnSignal } from '../stop.ts';
import { withDatabaseTls } from './database.ts';
import { openLog } from './log.ts';
import { settingsOrExit } from './settings.ts';

/** Runs a part of the service as a process of its own, by its environment, with its metrics served, until a signal stops it. */
export async function runProcess(
  name: 'web' | 'worker',
  start: (config: Config, log: Logger) => Promise<Running>,
  stopWithinMs: number,
): Promise<void> {
  const given = settingsOrExit();
  const log = openLog(given, name);
  const { stop } = await orExit(log, async () =>
    withMetrics(await start(await withDatabaseTls(given, log), log), [name]),
  );
  stopOnSignal(stop, stopWithinMs, (err) => log.fatal({ err }, 'shutdown failed'));
}

/** The result of what a process begins with. Where that fails, one log line says why, and the process ends. */
export async function orExit<Result>(log: Logger, begin: () => Promise<Result>): Promise<Result> {
  try {
    return await begin();
  } catch (err) {
    log.fatal({ err }, 'could not start');
    process.exit(1);
  }
}
