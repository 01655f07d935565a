import { collectDefaultMetrics, Registry } from 'prom-client';
import { type Families, families } from './families.ts';

/** Updates gauges before a scrape. */
type Collect = () => void | Promise<void>;

/** The metrics of one process. */
export type Metrics = Families & {
  /** Runs `collect` before every scrape until the returned function is called. */
  beforeScrape(collect: Collect): () => void;
  /** All metrics, updated, in Prometheus' text format. */
  scrape(): Promise<string>;
};

/** The content type of a scrape's response: text format 0.0.4. */
export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Creates the metrics of a process, without any values. */
export function openMetrics(): Metrics {
  const registry = new Registry();
  const collects = new Set<Collect>();
  return {
    ...families(registry),
    beforeScrape(collect) {
      collects.add(collect);
      return () => void collects.delete(collect);
    },
    async scrape() {
      await Promise.all([...collects].map((collect) => collect()));
      return `${await registry.metrics()}\n${await runtimeMetrics().metrics()}`;
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
