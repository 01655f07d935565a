import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Job,
  type JobHelpers,
  Logger as QueueLogger,
  type Runner,
  run,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker';
import type { Logger } from 'pino';
import { type Readiness, untilAble } from '../capabilities/health/readiness.ts';
import type { Config } from '../config.ts';
import type { JobsChannel, QueueNews } from '../db/queue-news.ts';
import { openQueuePool, wasSetBack } from '../db/queue-pool.ts';
import { listTaskNames, TASKS, type Task } from '../intents/task.ts';
import { sanitizeError } from '../kernel/serialize-error.ts';
import { newWork, workingOn } from '../kernel/work.ts';
import { watchPool } from '../metrics/process.ts';
import type { Metrics } from '../metrics/registry.ts';
import { secondsSince } from '../metrics/upstreams.ts';
import { type AgainSoon, againSoon, passOn } from './again.ts';
import { traceTask } from './trace-task.ts';
import type { WorkerRuntime } from './worker.ts';

/**
 * Tasks that never have to wait for those of orders and money, and never make them wait; the SQL function `is_outbound` names the same. A task
 * that is not named here is trading.
 */
const OUTBOUND = ['housekeeping/', 'mail/', 'trading/', 'webhooks/'];
const POLL_MS = 500; // only for jobs scheduled for later; new jobs are announced
const COMPLETED_TOGETHER_MS = 50; // that a job has ended is recorded so much later, together with others; a kill meanwhile runs it once more
const LOCAL_MS = 500; // jobs fetched ahead return to the queue if they cannot start within this time
/** How long the jobs in progress may take to end after a stop. */
export const STOP_WITHIN_MS = 25_000;
const RESTART_MS = 500;
/** How long a runner that the queue gave up may take to end. After that its jobs are released, as a dead worker's are. */
const ABANDONED_MS = 5_000;
const FETCHED_MS = 5_000; // a runner that has not fetched jobs once by then is started again
/**
 * Messages of the queue that are not logged. The warning about `maxPoolSize` is expected: the queue's own statements
 * are short, so it needs fewer connections than jobs. A task that threw is logged by `loadTask`.
 */
const LOGGED_ELSEWHERE = /maxPoolSize|^Failed task /;

/** A runner of the queue: `trading` has the tasks that move orders, accounts and money, `outbound` all others. */
export type RunnerName = 'trading' | 'outbound';

/** Where the jobs of a runner are announced. Most jobs are orders, and the outbound runner does not look for jobs at each of them. */
export const JOBS_OF = { trading: 'jobs:insert', outbound: 'outbound_jobs' } as const satisfies Record<
  RunnerName,
  JobsChannel
>;

/** Whether the trading runner executes a task; else the outbound one does. */
export const isTrading = (task: string) => !OUTBOUND.some((prefix) => task.startsWith(prefix));

type Supervised = {
  config: Config;
  log: Logger;
  readiness: Pick<Readiness, 'failing'>;
  tasks: TaskList;
  metrics: Metrics;
  onPool(id: string): Promise<void>;
  news: Pick<QueueNews, 'listeningOn'>;
};

/**
 * Starts a runner once the database has what this version calls and this process opens what it seals, and starts it again whenever the
 * queue gives it up, for example when the database goes away. `stop` takes no new jobs, waits for those in progress, and uses up no attempt of a job.
 */
export function superviseRunner(
  name: RunnerName,
  { config, log, readiness, tasks, metrics, onPool, news }: Supervised,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let runner: Runner | undefined;
  const supervised = keepRunning();

  async function keepRunning(): Promise<void> {
    await untilAble(readiness, log, stopping.signal);
    while (!stopping.signal.aborted) {
      const pool = openQueuePool(config.directUrl, (err) => log.warn({ err }, 'queue connection'));
      const unwatch = watchPool(metrics, {
        name: `queue_${name}`,
        limit: pool.options.max,
        state: queuePoolState(pool),
      });
      try {
        const events: WorkerEvents = new EventEmitter();
        events.on('cron:prematureTimer', (tick) => void (wasSetBack(tick) && runner && stopQuietly(runner))); // it is started again
        const overdue = overdueEnd(events, stopping.signal);
        const fetched = new Promise((resolve) => events.once('localQueue:getJobs:complete', resolve));
        runner = await startRunner(name, events, { config, log, tasks, onPool, news }, pool);
        if (stopping.signal.aborted) await stopQuietly(runner);
        await Promise.race([runner.promise, overdue, unlessBy(fetched)]);
      } catch (err) {
        log.error({ err, runner: name }, 'runner ended');
        if (runner) void stopQuietly(runner); // a runner that was abandoned may still be running
      }
      unwatch();
      const ended = pool.end().catch(() => {}); // its connections may be closed already
      await Promise.race([ended, sleep(RESTART_MS)]); // an abandoned runner may hold connections and block the end
      await sleep(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => {}); // a stop ends the pause
    }
  }

  return {
    async stop() {
      stopping.abort();
      if (runner) await Promise.race([stopQuietly(runner), supervised]);
      await supervised;
    },
  };
}

const queuePoolState = (pool: ReturnType<typeof openQueuePool>) => () => ({
  acquired: pool.totalCount - pool.idleCount,
  idle: pool.idleCount,
  waiting: pool.waitingCount,
});

/**
 * Rejects if the queue gives up a runner by itself and the runner does not end within `ABANDONED_MS`. The queue gives a
 * runner up when it cannot record that a job has ended. It then waits for calls that hang, and forever for what it lost
 * with the database.
 */
function overdueEnd(events: WorkerEvents, stopping: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    events.once('pool:gracefulShutdown', () => {
      if (stopping.aborted) return; // this is our own stop, which has its own limits
      setTimeout(reject, ABANDONED_MS, new Error('The runner was abandoned by the queue and did not end'));
    });
  });
}

/**
 * Rejects if a runner has not fetched jobs once within `FETCHED_MS`. The queue keeps the error of a runner's first
 * statement, a write that a read-only primary or a full disk rejects, and then never fetches any.
 */
function unlessBy(fetched: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(reject, FETCHED_MS, new Error('The runner could not fetch jobs'));
    void fetched.then(() => clearTimeout(timer));
  });
}

/** The queue throws when it is stopped twice. The runner stops in both cases. */
const stopQuietly = (runner: Runner) => runner.stop().catch(() => {});

function startRunner(
  name: RunnerName,
  events: WorkerEvents,
  { config, log, tasks, onPool, news }: Omit<Supervised, 'metrics' | 'readiness'>,
  pool: ReturnType<typeof openQueuePool>,
): Promise<Runner> {
  events.on('pool:create', ({ workerPool }) => void onPool(workerPool.id));
  const concurrency = name === 'trading' ? config.TRADING_CONCURRENCY : config.OUTBOUND_CONCURRENCY;
  return run({
    pgPool: news.listeningOn(JOBS_OF[name], pool),
    events,
    logger: new QueueLogger(() => (level, message) => {
      if ((level === 'error' || level === 'warning') && !LOGGED_ELSEWHERE.test(message))
        log.warn({ runner: name }, message);
    }),
    noHandleSignals: true,
    preset: {
      worker: {
        concurrentJobs: concurrency,
        pollInterval: POLL_MS,
        localQueue: { size: concurrency, ttl: LOCAL_MS },
        completeJobBatchDelay: COMPLETED_TOGETHER_MS, // batching makes the queue end the runner, not the process, when it
        failJobBatchDelay: 0, // cannot record that a job has ended
        gracefulShutdownAbortTimeout: STOP_WITHIN_MS,
      },
    },
    taskList: Object.fromEntries(Object.entries(tasks).filter(([task]) => isTrading(task) === (name === 'trading'))),
    ...(name === 'outbound' && { crontab: readFileSync(new URL('crontab', TASKS), 'utf8') }),
  });
}

/** Loads every task of `workers/`, bound to a runtime. The name of a task is the path of its file. */
export async function loadTasks(runtime: WorkerRuntime): Promise<TaskList> {
  const again = againSoon();
  return Object.fromEntries(await Promise.all(listTaskNames().map((name) => loadTask(name, runtime, again))));
}

async function loadTask(name: string, runtime: WorkerRuntime, again: AgainSoon) {
  const { default: task } = (await import(new URL(`${name}.ts`, TASKS).href)) as {
    default: Task<unknown, WorkerRuntime>;
  };
  const queueTask = async (payload: unknown, helpers?: Partial<JobHelpers>) => {
    if (runtime.pauses.leaves(name) && (await passOn(name, payload, helpers, PASSED_ON_MS))) return;
    const startedAt = performance.now();
    const line = sanitizedTask(name, payload, helpers?.job);
    const { intent_id } = Object(payload) as { intent_id?: string }; // as: a payload holds ids only
    const on = newWork({ task: name, ...(intent_id !== undefined && { intent_id }) });
    if (intent_id !== undefined) runtime.activity.lastIntentMs = startedAt;
    await workingOn(on, async () => {
      try {
        await task(payload, runtime);
        runtime.log.info({ ...ended('done'), outcome: on.outcome ?? 'done' });
      } catch (err) {
        runtime.log.error({ ...ended('threw'), err }, 'task threw');
        if (await passOn(name, payload, helpers, again(name, payload, err)).catch(() => false)) return;
        throw sanitizeError(err); // the queue stores the error text with the job
      }
    });

    function ended(outcome: 'done' | 'threw') {
      runtime.metrics.tasks.observe({ task: name, outcome }, secondsSince(startedAt));
      if (on.spans) traceTask(on, startedAt, { outcome, ...line });
      return { ...line, ms: Math.round(performance.now() - startedAt), outcome };
    }
  };
  return [name, queueTask] as const;
}

const PASSED_ON_MS = 250;

/** What the log contains about a job: only ids. */
const sanitizedTask = (task: string, payload: unknown, job: Partial<Job> | undefined) => ({
  task,
  ...(payload as object),
  ...(job && { job: job.id, attempt: job.attempts }),
});
