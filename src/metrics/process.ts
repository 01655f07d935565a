import type { DbPool } from '../db/pool.ts';
import type { Metrics } from './registry.ts';

/** State of a pool: connections in use, idle connections, and statements that wait for a connection. */
type PoolState = { acquired: number; idle: number; waiting: number };
type Pool = { name: 'web' | 'worker' | 'queue_trading' | 'queue_outbound'; limit: number; state(): PoolState };

/** Shows a pool in every scrape until the returned function is called. */
export function watchPool(metrics: Metrics, { name: pool, limit, state }: Pool): () => void {
  return metrics.beforeScrape(() => {
    const { acquired, idle, waiting } = state();
    metrics.poolLimit.set({ pool }, limit);
    metrics.pools.set({ pool, state: 'acquired' }, acquired);
    metrics.pools.set({ pool, state: 'idle' }, idle);
    metrics.poolWaiting.set({ pool }, waiting);
  });
}

type Reported = { isListening(): boolean; streams(): number };

/** Shows whether the process receives settlement notifications, and how many streams are open. */
export const watchListening = (metrics: Metrics, { isListening, streams }: Reported): (() => void) =>
  metrics.beforeScrape(() => {
    metrics.listening.set(isListening() ? 1 : 0);
    metrics.streams.set(streams());
  });

const CREDENTIALED = ['netvenue', 'processor', 'mail'];

/** Shows which upstreams' work this process leaves to others. */
export const watchPauses = (metrics: Metrics, left: () => string[]): (() => void) =>
  metrics.beforeScrape(() => {
    for (const upstream of CREDENTIALED) metrics.pausedUpstreams.set({ upstream }, left().includes(upstream) ? 1 : 0);
  });

/** Returns a function that reads the current use of a pool's connections. */
export const poolState = (db: DbPool) => (): PoolState => {
  const { acquiredConnections, idleConnections, waitingClients } = db.state();
  return { acquired: acquiredConnections, idle: idleConnections, waiting: waitingClients };
};
