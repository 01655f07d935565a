import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const ANSWER_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];
const PARTY_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 100]; // the network's miner may block for 100 s
const INTENT_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300];

/**
 * Every metric of ours, in one registry. Labels take their values from closed sets of our own (operations of the contract, tasks,
 * parties, states): never from a caller, a tenant, or an id.
 */
export function families(registry: Registry) {
  const registers = [registry];
  const histogram = <L extends string>(name: string, help: string, labelNames: L[], buckets: number[]) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  const counter = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  /** A gauge nobody has set is not shown: nought would be a figure. */
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) => {
    const unset = new Gauge({ name, help, labelNames, registers });
    if (labelNames.length === 0) unset.remove();
    return unset;
  };
  return {
    requests: histogram(
      'tps_http_request_duration_seconds',
      'Time from a request to its answer, the wait for an outcome included.',
      ['operation', 'method', 'status'],
      ANSWER_S,
    ),
    streams: gauge('tps_streams_open', 'Event streams that this process serves now.'),
    listening: gauge('tps_listen_connected', '1 while the connection that hears of settled intents stands.'),
    tasks: histogram(
      'tps_task_duration_seconds',
      'Time a task of the queue took; outcome is done or threw.',
      ['task', 'outcome'],
      ANSWER_S,
    ),
    intents: histogram(
      'tps_intent_settle_duration_seconds',
      'Time from the acceptance of an intent to its end, counted by the process that ended it.',
      ['kind', 'ending'],
      INTENT_S,
    ),
    calls: histogram(
      'tps_party_call_duration_seconds',
      'Time of a call to a party, by the kind of its answer.',
      ['party', 'call', 'answer'],
      PARTY_S,
    ),
    authRefusals: counter('tps_party_auth_refusals_total', 'Calls that a party refused because of our credentials.', [
      'party',
    ]),
    attempts: histogram(
      'tps_delivery_attempt_duration_seconds',
      'Time of an attempt to deliver a webhook; result is the class of the status, or the fault.',
      ['result'],
      ANSWER_S,
    ),
    pools: gauge('tps_pool_connections', 'Connections of a pool to the database, by what they do.', ['pool', 'state']),
    poolWaiting: gauge('tps_pool_waiting', 'Statements that wait for a connection of the pool.', ['pool']),
    poolLimit: gauge('tps_pool_limit', 'Connections that a pool may hold.', ['pool']),
    databaseUp: gauge(
      'tps_database_up',
      '1 if the database answered this scrape; 0, and no figures from it, if it did not.',
    ),
    jobs: gauge(
      'tps_queue_jobs',
      'Jobs: ready to be taken, planned for later, running, or dead after their last try.',
      ['task', 'state'],
    ),
    jobAge: gauge('tps_queue_oldest_ready_seconds', 'For how long the oldest ready job of a task has been due.', [
      'task',
    ]),
    openIntents: gauge('tps_intents_open', 'Intents that have not ended.', ['kind', 'state']),
    intentAge: gauge('tps_intents_oldest_seconds', 'Age of the oldest intent that has not ended.', ['kind', 'state']),
    deliveries: gauge('tps_deliveries', 'Webhook deliveries that wait, are under way, or have failed for good.', [
      'state',
    ]),
    deliveryAge: gauge('tps_deliveries_oldest_due_seconds', 'For how long the oldest waiting delivery has been due.'),
    endpoints: gauge('tps_webhook_endpoints', 'Webhook endpoints: active, failing, or deactivated and why.', ['state']),
    workers: gauge('tps_workers_alive', 'Worker processes that have said within ten seconds that they live.'),
    unserved: gauge(
      'tps_unserved_payments',
      'Payments of more than ten minutes ago that served nobody and were not given back.',
    ),
  };
}

export type Families = ReturnType<typeof families>;
