import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const RESPONSE_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];
const UPSTREAM_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 100]; // the network's miner may block for 100 s
const INTENT_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300];

/**
 * Creates all metrics of the service in one registry. Label values come from closed sets (operations of the contract,
 * tasks, upstreams, states), never from a caller, a tenant or an id.
 */
export function families(registry: Registry) {
  const registers = [registry];
  const histogram = <L extends string>(name: string, help: string, labelNames: L[], buckets: number[]) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  /** A gauge that was never set, or was reset, is not shown, because 0 would be a figure. */
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) => {
    const unset = new Gauge({ name, help, labelNames, registers });
    if (labelNames.length === 0) unset.reset = () => unset.remove();
    unset.reset();
    return unset;
  };
  /** The figures from the database: before every scrape all are reset and shown again. */
  const ofDatabase = {
    jobs: gauge(
      'tps_queue_jobs',
      'Jobs: ready to run, planned for later, failing (planned again after they threw 5 times), running, or dead after their last attempt.',
      ['task', 'state'],
    ),
    jobAge: gauge('tps_queue_oldest_ready_seconds', 'How long the oldest ready job of a task has been due.', ['task']),
    openIntents: gauge('tps_intents_open', 'Intents that have not ended.', ['kind', 'state']),
    intentAge: gauge(
      'tps_intents_oldest_seconds',
      'Age of the oldest intent that has not ended and that no pause of operators holds; of one in doubt, since it was sent.',
      ['kind', 'state'],
    ),
    waiting: gauge(
      'tps_intents_waiting',
      'Open intents by what they wait for, of the oldest 2,000; exits apart and first.',
      ['reason', 'exits'],
    ),
    waitAge: gauge('tps_intents_waiting_oldest_seconds', 'Age of the oldest intent that waits for this.', [
      'reason',
      'exits',
    ]),
    deliveries: gauge(
      'tps_deliveries',
      'Webhook deliveries queued, being sent, or failed permanently; 100,000 of a state at most, and none of disabled owners queued.',
      ['state'],
    ),
    deliveryAge: gauge('tps_deliveries_oldest_due_seconds', 'How long the oldest waiting delivery has been due.'),
    undeliveredAge: gauge('tps_deliveries_oldest_seconds', 'Age of the oldest delivery that is still to be repeated.'),
    endpoints: gauge(
      'tps_webhook_endpoints',
      'Webhook endpoints: active, failing, of a disabled owner, or deactivated with the reason.',
      ['state'],
    ),
    budgetUsed: gauge('tps_exchange_budget_used_ratio', "Used part of the exchange's request budget, from 0 to 1."),
    workers: gauge('tps_workers_alive', 'Worker processes with a heartbeat within the last 10 seconds.'),
    attention: gauge('tps_needs_attention', 'What waits for a person, by what it is: see ops.attention.', ['what']),
    retentionBehind: gauge(
      'tps_retention_behind_seconds',
      'How long the oldest row is past its retention, or how long none were deleted beyond 15 minutes, by what is deleted.',
      ['rows'],
    ),
    oldestTransaction: gauge(
      'tps_database_oldest_transaction_seconds',
      "Age of the oldest transaction in the database that its owner may see; autovacuum's do not count.",
    ),
    notificationQueue: gauge(
      'tps_database_notification_queue_ratio',
      'Full part of the queue of notifications, from 0 to 1, which holds what a session that listens has not read.',
    ),
    differing: gauge(
      'tps_fleet_differing_settings',
      'Settings in which running processes of the service differ, versions included.',
    ),
    behind: gauge(
      'tps_database_behind',
      'Orders at venues which prove that the database has lost commits, since its last recovery.',
    ),
    delayedPayouts: gauge(
      'tps_delayed_payouts',
      'Payouts that have waited for the platform or the processor for more than 5 minutes.',
    ),
    unreadableEvents: gauge(
      'tps_unreadable_events',
      'Events of the processor about our objects that could not be applied and that no operator has closed.',
    ),
    unprotected: gauge(
      'tps_unprotected_positions',
      'Open positions that complete reads have shown to lack exits that their traders want.',
      ['venue'],
    ),
    unprotectedAge: gauge(
      'tps_unprotected_seconds',
      'How long the longest unprotected position has been without its exits; 0 without one.',
      ['venue'],
    ),
    unprotectedNewest: gauge(
      'tps_unprotected_newest_timestamp_seconds',
      'When the newest of the unprotected positions was reported, in Unix time; 0 without one.',
      ['venue'],
    ),
    ledgerDifferences: gauge(
      'tps_ledger_differences',
      'Balances of which the ledger and the processor differ, by the last proof.',
    ),
    unfulfilled: gauge(
      'tps_unfulfilled_payments',
      'Payments older than 10 minutes that were neither fulfilled nor refunded.',
    ),
    pauseAge: gauge(
      'tps_pause_oldest_seconds',
      'Age of the oldest pause by operators, by what is paused: an upstream, partner or app.',
      ['of'],
    ),
    crontabAge: gauge(
      'tps_crontab_seconds',
      'How long ago the crontab last deleted old rows, which it does every 5 minutes.',
    ),
    readsDue: gauge(
      'tps_reads_oldest_due_seconds',
      'How long a planned look at a venue has been due: at exits of positions, at exchange wallets, at prop accounts.',
      ['of'],
    ),
    unprovenAge: gauge(
      'tps_ledger_unproven_seconds',
      "How long ago the changes of the platform's balance were read to the end.",
    ),
  };
  return {
    ofDatabase,
    build: gauge('tps_build_info', 'Always 1, for each process that is scraped.', ['version', 'process']),
    requests: histogram(
      'tps_http_request_duration_seconds',
      'Time from a request to its response, including the wait for an outcome.',
      ['operation', 'method', 'status'],
      RESPONSE_S,
    ),
    errors: counter('tps_http_errors_total', 'Error responses, by the code of the problem document.', ['code']),
    streams: gauge('tps_streams_open', 'Event streams that this process serves now.'),
    listening: gauge('tps_listen_connected', '1 while the LISTEN connection for settled intents is up.'),
    clockAhead: gauge('tps_clock_ahead_seconds', "How far this process's clock is ahead of the database's."),
    tasks: histogram(
      'tps_task_duration_seconds',
      'Duration of a task of the queue; outcome is done or threw.',
      ['task', 'outcome'],
      RESPONSE_S,
    ),
    intents: histogram(
      'tps_intent_settle_duration_seconds',
      'Time from the acceptance of an intent to its end, observed by the process that ended it.',
      ['kind', 'ending'],
      INTENT_S,
    ),
    calls: histogram(
      'tps_upstream_call_duration_seconds',
      'Duration of a call to an upstream, by the kind of its result.',
      ['upstream', 'call', 'result'],
      UPSTREAM_S,
    ),
    authErrors: counter(
      'tps_upstream_auth_rejections_total',
      "Calls that an upstream rejected because of this service's credentials; others: serve where other processes do the work, tenant of a tenant's own key, else none.",
      ['upstream', 'others'],
    ),
    alertLines: alertLines(
      counter('tps_alert_lines_total', 'Log lines that need a person, by their member alert.', ['alert']),
    ),
    tenants: gauge(
      'tps_tenants',
      'Tenants of the last 5 minutes for which these fail, and for which they do not: failing or unharmed.',
      ['of', 'outcome'],
    ),
    pausedUpstreams: gauge(
      'tps_upstream_paused',
      '1 while this process leaves the work of an upstream, which rejected its credentials, to other processes.',
      ['upstream'],
    ),
    attempts: histogram(
      'tps_delivery_attempt_duration_seconds',
      'Duration of an attempt to deliver a webhook; result is the class of the status, or the fault.',
      ['result'],
      RESPONSE_S,
    ),
    pools: gauge('tps_pool_connections', 'Connections of a pool to the database, by state.', ['pool', 'state']),
    poolWaiting: gauge('tps_pool_waiting', 'Statements that wait for a connection of the pool.', ['pool']),
    poolLimit: gauge('tps_pool_limit', 'Connections that a pool may hold.', ['pool']),
    databaseUp: gauge(
      'tps_database_up',
      '1 if the database responded to this scrape; otherwise 0, without figures from the database.',
    ),
  };
}

/** Alerts of log lines that are counted by their increase: shown from the start, since the first one would be no increase. */
const COUNTED = ['order_filled_again', 'network_rejects_subaccounts'];

function alertLines(lines: Counter<'alert'>): Counter<'alert'> {
  for (const alert of COUNTED) lines.inc({ alert }, 0);
  return lines;
}

/** The metrics of the service by their names in the code. */
export type Families = ReturnType<typeof families>;
