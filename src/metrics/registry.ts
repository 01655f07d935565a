import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Reach } from '../kernel/shared-upstream.ts';
import { type Families, families } from './families.ts';
import { type EndedOfTenants, tenantCounts } from './tenants.ts';

/** Updates gauges before a scrape. */
type Collect = () => void | Promise<void>;

export type Labels = Record<string, string | number>;

/** A metric with its values. The values of a histogram are named: buckets by their upper bound `le`, sum and count. */
export type MetricValues = {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  values: { metricName?: string; labels: Labels; value: number }[];
};

/** The metrics of one process. */
export type Metrics = Families & {
  /** The calls of this process to upstreams, by upstream and call. */
  reached: Map<string, Reach>;
  /** What has ended since the last scrape, by whose it was. */
  ended: EndedOfTenants;
  /** Counts a log line with this alert. */
  noteAlert(alert: string): void;
  /** Runs `collect` before every scrape until the returned function is called. */
  beforeScrape(collect: Collect): () => void;
  /** All metrics, updated, in Prometheus' text format. */
  scrape(): Promise<string>;
  /** The metrics of the service, updated, as values. Those of the Node process are left out. */
  read(): Promise<MetricValues[]>;
};

/** The content type of a scrape's response: text format 0.0.4. */
export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Creates the metrics of a process, without any values. */
export function openMetrics(): Metrics {
  const registry = new Registry();
  const collects = new Set<Collect>();
  const all = families(registry);
  all.errors.inc({ code: 'INTERNAL' }, 0); // shown from the start: else the first ones are no increase
  const ended: EndedOfTenants = { requests: [], intents: [] };
  const count = tenantCounts();
  const showTenants = () => {
    for (const { of, failing, unharmed } of count(ended)) {
      all.tenants.set({ of, outcome: 'failing' }, failing);
      all.tenants.set({ of, outcome: 'unharmed' }, unharmed);
    }
  };
  const update = () => Promise.all([showTenants, ...collects].map((collect) => collect()));
  return {
    ...all,
    reached: new Map(),
    ended,
    noteAlert: (alert) => all.alertLines.inc({ alert }),
    beforeScrape(collect) {
      collects.add(collect);
      return () => void collects.delete(collect);
    },
    async scrape() {
      await update();
      return `${await registry.metrics()}\n${await runtimeMetrics().metrics()}`;
    },
    async read() {
      await update();
      return (await registry.getMetricsAsJSON()) as unknown as MetricValues[]; // as: its own types leave out the names
    },
  };
}

let nodeRegistry: Registry | undefined;

/**
 * Metrics of Node: event loop, memory, garbage collection, descriptors. They are per process, so they are registered
 * once.
 */
function runtimeMetrics(): Registry {
  if (nodeRegistry) return nodeRegistry;
  nodeRegistry = new Registry();
  collectDefaultMetrics({ register: nodeRegistry });
  return nodeRegistry;
}
