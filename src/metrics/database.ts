import type { Logger } from 'pino';
import type { Db } from '../db/pool.ts';
import { glance } from '../kernel/glance.ts';
import { type DatabaseFigures, readFigures } from './queries.ts';
import type { Metrics } from './registry.ts';

const KEPT_MS = 5_000; // scrapes of several processes and by several servers come more often than figures change
const WITHIN_MS = 3_000; // below the ten seconds Prometheus waits

const JOB_STATES = ['ready', 'planned', 'running', 'dead'] as const;
const DELIVERY_STATES = ['pending', 'sending', 'failed'] as const;
const ENDPOINT_STATES = ['active', 'failing', 'deactivated_asked', 'deactivated_gone', 'deactivated_failing'];

/**
 * Reads the database's figures before every scrape, however many come at once, no oftener than every five seconds. Where it does not
 * answer in time the scrape says so and shows none of them: an old figure would look like a good one.
 */
export function collectDatabase(db: Db, tasks: string[], metrics: Metrics, log: Pick<Logger, 'warn'>): () => void {
  const look = glance(() => readFigures(db, tasks).catch((err) => noFigures(err, log)), {
    keptMs: KEPT_MS,
    withinMs: WITHIN_MS,
  });
  return metrics.beforeScrape(async () => {
    const seen = await look();
    forget(metrics);
    metrics.databaseUp.set(seen ? 1 : 0);
    if (seen) show(seen, tasks, metrics);
  });
}

function noFigures(err: unknown, log: Pick<Logger, 'warn'>): null {
  log.warn({ err }, 'the database gave no figures');
  return null;
}

function forget(metrics: Metrics): void {
  const { jobs, jobAge, openIntents, intentAge, deliveries, deliveryAge, endpoints, workers, unserved } = metrics;
  for (const gauge of [jobs, jobAge, openIntents, intentAge, deliveries, endpoints]) gauge.reset();
  for (const gauge of [deliveryAge, workers, unserved]) gauge.remove();
}

function show(seen: DatabaseFigures, tasks: string[], metrics: Metrics): void {
  showJobs(seen, tasks, metrics);
  for (const { kind, state, count, oldest_s } of seen.intents) {
    metrics.openIntents.set({ kind, state }, count);
    metrics.intentAge.set({ kind, state }, oldest_s);
  }
  for (const state of DELIVERY_STATES) metrics.deliveries.set({ state }, seen.deliveries[state]);
  metrics.deliveryAge.set(seen.deliveries.oldest_due_s);
  for (const state of ENDPOINT_STATES) metrics.endpoints.set({ state }, 0);
  for (const { state, count } of seen.endpoints) metrics.endpoints.set({ state }, count);
  metrics.workers.set(seen.workers);
  metrics.unserved.set(seen.unserved);
}

/** A task without a job is shown with zeros: an alert on its age must not wait for the first. */
function showJobs({ jobs }: DatabaseFigures, tasks: string[], metrics: Metrics): void {
  const none = { ready: 0, planned: 0, running: 0, dead: 0, oldest_ready_s: 0 };
  for (const row of [...tasks.map((task) => ({ task, ...none })), ...jobs]) {
    for (const state of JOB_STATES) metrics.jobs.set({ task: row.task, state }, row[state]);
    metrics.jobAge.set({ task: row.task }, row.oldest_ready_s);
  }
}
