import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import { epochMs } from '../../kernel/work.ts';
import type { Metrics } from '../registry.ts';
import { VERSION } from '../version.ts';
import { recordSpansTo } from './record.ts';
import { openSampler } from './sampler.ts';
import { asReadable } from './spans.ts';
import { asCollected } from './values.ts';

/** The collector's address, and the share of traces that are kept, from 0 to 1. `process`: what this process is. */
export type Destination = { endpoint: string; traceRatio: number; metricsEveryMs: number; process: string };

const SPANS = {
  maxQueueSize: 20_000,
  maxExportBatchSize: 1_000,
  scheduledDelayMillis: 1_000,
  exportTimeoutMillis: 5_000,
};

/**
 * Sends spans and metrics to a collector by OTLP over HTTP. While a collector is unreachable, spans are lost, never a
 * request. `stop` sends what is left, for at most 5 s.
 */
export function exportTelemetry(metrics: Metrics, to: Destination): { stop(): Promise<void> } {
  const resource = resourceFromAttributes({
    'service.name': `trading-partner-service-${to.process}`,
    'service.version': VERSION,
    'process.pid': process.pid,
  });
  const url = (signal: string) => `${to.endpoint.replace(/\/$/, '')}/v1/${signal}`;
  const spans = new BatchSpanProcessor({ ...SPANS, exporter: new OTLPTraceExporter({ url: url('traces') }) });
  recordSpansTo({
    isKept: openSampler(to.traceRatio, () => performance.now()),
    take: (span, context) => spans.onEnd(asReadable(span, context, resource)),
  });
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: url('metrics') }),
    exportIntervalMillis: to.metricsEveryMs,
    exportTimeoutMillis: Math.min(to.metricsEveryMs, SPANS.exportTimeoutMillis),
    metricProducers: [{ collect: async () => asCollected(await metrics.read(), resource, epochMs()) }],
  });
  const meters = new MeterProvider({ resource, readers: [reader] });
  return {
    async stop() {
      recordSpansTo(undefined);
      await Promise.allSettled([spans.shutdown(), meters.shutdown()]);
    },
  };
}
