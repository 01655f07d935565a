import type { Logger } from 'pino';
import { bucketOf } from '../capacity/exchange.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/pool.ts';
import { listTaskNames } from '../intents/task.ts';
import { collectDatabase } from './database.ts';
import type { Metrics } from './registry.ts';
import { serveMetrics } from './server.ts';
import { VERSION } from './version.ts';

/** A running part of the service, and how to stop it. */
export type Running = {
  runtime: { config: Config; log: Logger; db: Db; metrics: Metrics; readiness: { failing(): Promise<string[]> } };
  stop(): Promise<void>;
};

/** The SDK is loaded only where a collector is named. */
async function telemetryOf({ config, metrics }: Running['runtime'], parts: readonly string[]) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: traceRatio } = config;
  if (endpoint === undefined) return null;
  const { exportTelemetry } = await import('./otlp/export.ts');
  const metricsEveryMs = config.OTEL_METRIC_EXPORT_INTERVAL;
  return exportTelemetry(metrics, { endpoint, traceRatio, metricsEveryMs, process: parts.join('-') });
}

/**
 * Serves metrics and health of a running part if METRICS_PORT is set. `stop` stops the part first and the metrics last,
 * so that a process that is shutting down does not look dead. `parts`: what this process is. If the metrics cannot be
 * served, stops the part and throws.
 */
export async function withMetrics(
  { runtime, stop }: Running,
  parts: readonly ('web' | 'worker')[],
): Promise<{ url: string | null; stop(): Promise<void> }> {
  const { db, metrics, log, config } = runtime;
  const budget = { name: config.EXVENUE_URL, ...bucketOf(config.EXVENUE_BUDGET_PER_MINUTE) };
  for (const process of parts) metrics.build.set({ version: VERSION, process }, 1);
  const stopCollecting = collectDatabase(db, { tasks: listTaskNames(), budget }, metrics, log);
  const telemetry = await telemetryOf(runtime, parts);
  try {
    const server = await serveMetrics(runtime);
    return {
      url: server.url,
      async stop() {
        await stop();
        stopCollecting(); // the last export must not read from a closed database
        await telemetry?.stop();
        await server.stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
