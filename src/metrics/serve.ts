import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Db } from '../db/pool.ts';
import { listTaskNames } from '../intents/task.ts';
import { collectDatabase } from './database.ts';
import type { Metrics } from './registry.ts';
import { serveMetrics } from './server.ts';

/** A part of the service that runs: what it works with, and how to stop it. */
type Running = {
  runtime: { config: Config; log: Logger; db: Db; metrics: Metrics; readiness: { failing(): Promise<string[]> } };
  stop(): Promise<void>;
};

/**
 * Serves the metrics and the health of what runs, where the settings ask for it. Its answer stops both, the metrics last, so that
 * a process on its way out can be told from a dead one. Where the metrics cannot be served, what runs is stopped.
 */
export async function withMetrics({ runtime, stop }: Running): Promise<{ url: string | null; stop(): Promise<void> }> {
  const { db, metrics, log } = runtime;
  const forget = collectDatabase(db, listTaskNames(), metrics, log);
  try {
    const server = await serveMetrics(runtime);
    return {
      url: server.url,
      async stop() {
        await stop();
        forget();
        await server.stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
