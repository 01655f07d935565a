import type { Metrics } from './registry.ts';

/** How a pool stands: connections in use, idle ones, and statements that wait for one. */
type PoolState = { acquired: number; idle: number; waiting: number };
type Pool = { name: 'web' | 'worker' | 'queue_trading' | 'queue_outbound'; limit: number; state(): PoolState };

/** Shows a pool in every scrape until the answered function is called. */
export function watchPool(metrics: Metrics, { name: pool, limit, state }: Pool): () => void {
  return metrics.beforeScrape(() => {
    const { acquired, idle, waiting } = state();
    metrics.poolLimit.set({ pool }, limit);
    metrics.pools.set({ pool, state: 'acquired' }, acquired);
    metrics.pools.set({ pool, state: 'idle' }, idle);
    metrics.poolWaiting.set({ pool }, waiting);
  });
}

type Told = { isListening(): boolean; streams(): number };

/** Shows whether settlements are heard of, and how many streams are open. */
export const watchListening = (metrics: Metrics, { isListening, streams }: Told): (() => void) =>
  metrics.beforeScrape(() => {
    metrics.listening.set(isListening() ? 1 : 0);
    metrics.streams.set(streams());
  });
