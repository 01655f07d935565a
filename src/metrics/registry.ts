import { collectDefaultMetrics, Registry } from 'prom-client';
import { type Families, families } from './families.ts';

/** What brings gauges up to date before they are shown. */
type Collect = () => void | Promise<void>;

/** The metrics of one process. */
export type Metrics = Families & {
  /** Runs `collect` before every scrape, until the answered function is called. */
  beforeScrape(collect: Collect): () => void;
  /** All metrics in Prometheus' text format, brought up to date. */
  scrape(): Promise<string>;
};

/** What the answer to a scrape is: text format 0.0.4. */
export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** Opens a process's metrics, all at nothing. */
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

let ofNode: Registry | undefined;

/** Node's own: event loop, memory, garbage collection, descriptors. There is one of each in a process, so they are collected once. */
function runtimeMetrics(): Registry {
  if (ofNode) return ofNode;
  ofNode = new Registry();
  collectDefaultMetrics({ register: ofNode });
  return ofNode;
}
