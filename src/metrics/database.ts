import type { Logger } from 'pino';
import type { Db } from '../db/pool.ts';
import { cachedProbe } from '../kernel/cache.ts';
import { type DatabaseFigures, type ReportedBudget, readFigures } from './queries.ts';
import type { Metrics } from './registry.ts';

const FRESH_MS = 5_000; // several servers scrape several processes: more often than the figures change
const TIMEOUT_MS = 3_000; // below the 10 s that Prometheus waits

const JOB_STATES = ['ready', 'planned', 'running', 'dead'] as const;
const DELIVERY_STATES = ['pending', 'sending', 'failed'] as const;
const ENDPOINT_STATES = [
  ...['active', 'failing', 'owner_disabled'],
  ...['deactivated_asked', 'deactivated_gone', 'deactivated_failing', 'deactivated_stolen'],
];

/**
 * Reads the database's figures before every scrape, at most once in 5 s for concurrent scrapes. If the database does
 * not respond in time, `tps_database_up` is 0 and the scrape shows no database figures: an old figure would look valid.
 */
export function collectDatabase(
  db: Db,
  { tasks, budget }: { tasks: string[]; budget: ReportedBudget },
  metrics: Metrics,
  log: Pick<Logger, 'warn'>,
): () => void {
  const probe = cachedProbe(() => readFigures(db, tasks, budget).catch((err) => noFigures(err, log)), {
    freshMs: FRESH_MS,
    timeoutMs: TIMEOUT_MS,
  });
  return metrics.beforeScrape(async () => {
    const figures = await probe();
    reset(metrics);
    metrics.databaseUp.set(figures ? 1 : 0);
    if (figures) show(figures, tasks, metrics);
  });
}

function noFigures(err: unknown, log: Pick<Logger, 'warn'>): null {
  log.warn({ err }, 'reading database metrics failed');
  return null;
}

function reset(metrics: Metrics): void {
  const { jobs, jobAge, openIntents, intentAge, waiting, waitAge, deliveries, endpoints, unprotected, unprotectedAge } =
    metrics;
  const { deliveryAge, undeliveredAge, workers, unfulfilled, delayedPayouts, unreadableEvents } = metrics;
  const { ledgerDifferences, behind, budgetUsed, attention, retentionBehind } = metrics;
  const labelled = [
    ...[jobs, jobAge, openIntents, intentAge, waiting, waitAge],
    ...[deliveries, endpoints, unprotected, unprotectedAge, attention, retentionBehind],
  ];
  for (const gauge of labelled) gauge.reset();
  const single = [
    deliveryAge,
    undeliveredAge,
    workers,
    unfulfilled,
    delayedPayouts,
    unreadableEvents,
    ledgerDifferences,
    behind,
    budgetUsed,
    metrics.differing,
    metrics.oldestTransaction,
  ];
  for (const gauge of single) gauge.remove();
}

function show(figures: DatabaseFigures, tasks: string[], metrics: Metrics): void {
  showJobs(figures, tasks, metrics);
  for (const { kind, state, count, oldest_s } of figures.intents) {
    metrics.openIntents.set({ kind, state }, count);
    metrics.intentAge.set({ kind, state }, oldest_s);
  }
  for (const { reason, is_exit, count, oldest_s } of figures.waits) {
    metrics.waiting.set({ reason, exits: String(is_exit) }, count);
    metrics.waitAge.set({ reason, exits: String(is_exit) }, oldest_s);
  }
  for (const state of DELIVERY_STATES) metrics.deliveries.set({ state }, figures.deliveries[state]);
  metrics.deliveryAge.set(figures.deliveries.oldest_due_s);
  metrics.undeliveredAge.set(figures.deliveries.oldest_s);
  for (const state of ENDPOINT_STATES) metrics.endpoints.set({ state }, 0);
  for (const { state, count } of figures.endpoints) metrics.endpoints.set({ state }, count);
  metrics.workers.set(figures.workers);
  metrics.unfulfilled.set(figures.unfulfilled);
  metrics.delayedPayouts.set(figures.delayed_payouts);
  metrics.unreadableEvents.set(figures.unreadable_events);
  for (const { venue, count, longest_s } of figures.unprotected) {
    metrics.unprotected.set({ venue }, count);
    metrics.unprotectedAge.set({ venue }, longest_s);
  }
  for (const { what, count } of figures.attention) metrics.attention.set({ what }, count);
  for (const { name, behind_s } of figures.retention) metrics.retentionBehind.set({ rows: name }, behind_s);
  metrics.oldestTransaction.set(figures.oldest_transaction_s);
  metrics.differing.set(figures.differing);
  metrics.ledgerDifferences.set(figures.ledger_differences);
  metrics.behind.set(figures.behind);
  if (figures.budget_used !== null) metrics.budgetUsed.set(figures.budget_used);
}

/** A task without a job is shown with zeros, so that an alert on its age works before its first job. */
function showJobs({ jobs }: DatabaseFigures, tasks: string[], metrics: Metrics): void {
  const none = { ready: 0, planned: 0, running: 0, dead: 0, oldest_ready_s: 0 };
  for (const row of [...tasks.map((task) => ({ task, ...none })), ...jobs]) {
    for (const state of JOB_STATES) metrics.jobs.set({ task: row.task, state }, row[state]);
    metrics.jobAge.set({ task: row.task }, row.oldest_ready_s);
  }
}
