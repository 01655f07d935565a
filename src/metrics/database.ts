import type { Logger } from 'pino';
import type { Gauge } from 'prom-client';
import type { Db } from '../db/pool.ts';
import { cachedProbe } from '../kernel/cache.ts';
import { type DatabaseFigures, type ReportedBudget, readFigures } from './queries.ts';
import type { Metrics } from './registry.ts';

const FRESH_MS = 5_000; // several servers scrape several processes: more often than the figures change
const TIMEOUT_MS = 3_000; // below the 10 s that Prometheus waits

const JOB_STATES = ['ready', 'planned', 'failing', 'running', 'dead'] as const;
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
    metrics.databaseUp.set(figures ? 1 : 0);
    for (const gauge of Object.values(metrics.ofDatabase)) gauge.reset();
    if (figures) for (const name of namesOf(SAMPLES)) show(name, figures, tasks, metrics);
  });
}

function noFigures(err: unknown, log: Pick<Logger, 'warn'>): null {
  log.warn({ err }, 'reading database metrics failed');
  return null;
}

type Gauges = Metrics['ofDatabase'];
type Samples<L extends string> = readonly (readonly [labels: Record<L, string>, value: number])[];
type SamplesByGauge = {
  [Name in keyof Gauges]: (
    figures: DatabaseFigures,
    tasks: string[],
  ) => Gauges[Name] extends Gauge<infer L> ? Samples<L> : never;
};

const single = (value: number): Samples<string> => [[{}, value]];

/** What each gauge shows. One that is not here, or that no gauge has, does not compile. */
const SAMPLES: SamplesByGauge = {
  jobs: (figures, tasks) =>
    jobsOf(figures, tasks).flatMap((row) =>
      JOB_STATES.map((state) => [{ task: row.task, state }, row[state]] as const),
    ),
  jobAge: (figures, tasks) => jobsOf(figures, tasks).map(({ task, oldest_ready_s }) => [{ task }, oldest_ready_s]),
  openIntents: ({ intents }) => intents.map(({ kind, state, count }) => [{ kind, state }, count]),
  intentAge: ({ intents }) => intents.map(({ kind, state, oldest_s }) => [{ kind, state }, oldest_s]),
  waiting: ({ waits }) => waits.map(({ reason, is_exit, count }) => [{ reason, exits: String(is_exit) }, count]),
  waitAge: ({ waits }) => waits.map(({ reason, is_exit, oldest_s }) => [{ reason, exits: String(is_exit) }, oldest_s]),
  deliveries: ({ deliveries }) => DELIVERY_STATES.map((state) => [{ state }, deliveries[state]]),
  deliveryAge: ({ deliveries }) => single(deliveries.oldest_due_s),
  undeliveredAge: ({ deliveries }) => single(deliveries.oldest_s),
  endpoints: ({ endpoints }) => [
    ...ENDPOINT_STATES.map((state) => [{ state }, 0] as const),
    ...endpoints.map(({ state, count }) => [{ state }, count] as const),
  ],
  workers: ({ workers }) => single(workers),
  unfulfilled: ({ unfulfilled }) => single(unfulfilled),
  pauseAge: ({ pauses }) => pauses.map(({ of, oldest_s }) => [{ of }, oldest_s]),
  crontabAge: ({ crontab_s }) => (crontab_s === null ? [] : single(crontab_s)),
  readsDue: ({ reads }) => reads.map(({ of, due_s }) => [{ of }, due_s]),
  unprovenAge: ({ unproven_s }) => (unproven_s === null ? [] : single(unproven_s)),
  delayedPayouts: ({ delayed_payouts }) => single(delayed_payouts),
  unreadableEvents: ({ unreadable_events }) => single(unreadable_events),
  unprotected: ({ unprotected }) => unprotected.map(({ venue, count }) => [{ venue }, count]),
  unprotectedNewest: ({ unprotected }) => unprotected.map(({ venue, newest_at_s }) => [{ venue }, newest_at_s]),
  unprotectedAge: ({ unprotected }) => unprotected.map(({ venue, longest_s }) => [{ venue }, longest_s]),
  attention: ({ attention }) => attention.map(({ what, count }) => [{ what }, count]),
  retentionBehind: ({ retention }) => retention.map(({ name, behind_s }) => [{ rows: name }, behind_s]),
  oldestTransaction: ({ oldest_transaction_s }) => single(oldest_transaction_s),
  notificationQueue: ({ notification_queue }) => single(notification_queue),
  differing: ({ differing }) => single(differing),
  ledgerDifferences: ({ ledger_differences }) => single(ledger_differences),
  behind: ({ behind }) => single(behind),
  budgetUsed: ({ budget_used }) => (budget_used === null ? [] : single(budget_used)),
};

const namesOf = (shown: SamplesByGauge) => Object.keys(shown) as (keyof SamplesByGauge)[]; // as: an object literal has no other keys

function show(name: keyof SamplesByGauge, figures: DatabaseFigures, tasks: string[], { ofDatabase }: Metrics): void {
  const gauge: Gauge = ofDatabase[name];
  for (const [labels, value] of SAMPLES[name](figures, tasks)) gauge.set(labels, value);
}

/** A task without a job is shown with zeros, so that an alert on its age works before its first job. */
function jobsOf({ jobs }: DatabaseFigures, tasks: string[]): DatabaseFigures['jobs'] {
  const none = { ready: 0, planned: 0, failing: 0, running: 0, dead: 0, oldest_ready_s: 0 };
  return [...tasks.map((task) => ({ task, ...none })), ...jobs];
}
