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
import { type Config, readConfig } from './config.ts';
import { keepAlive } from './db/liveness.ts';
import { openQueuePool } from './db/pool.ts';
import { listTaskNames, TASKS, type Task } from './intents/task.ts';
import { tellable } from './kernel/errors.ts';
import { secondsSince } from './metrics/parties.ts';
import { watchPool } from './metrics/process.ts';
import { type Metrics, openMetrics } from './metrics/registry.ts';
import { withMetrics } from './metrics/serve.ts';
import { openLog, openWorkerRuntime, type WorkerRuntime } from './runtime.ts';
import { stopOnSignal } from './stop.ts';

const TRADING = ['orders/', 'accounts/', 'payments/', 'payouts/', 'kyc/', 'registration/', 'enrollments/'];
const POLL_MS = 500; // for jobs planned ahead; new ones are announced
const LOCAL_MS = 500; // jobs fetched ahead that still wait, because calls hang, go back for others to take
const DRAIN_MS = 12_000; // how long calls under way may go on after the stop before they end as in doubt
const STOP_WITHIN_MS = 25_000;
const RESTART_MS = 500;
const GIVEN_UP_MS = 5_000; // a runner that the queue gave up has so long to end; its jobs are then anyone's, as a dead worker's are
/** Fewer connections than jobs at once: the queue's own statements are short. A task that threw has its own line already. */
const TOLD_ELSEWHERE = /maxPoolSize|^Failed task /;

export type RunningWorker = { runtime: WorkerRuntime; stop(): Promise<void> };
type RunnerName = 'trading' | 'outbound';

/** Every task of `workers/`, bound to a runtime. The file's path is the task's name. */
export async function loadTasks(runtime: WorkerRuntime): Promise<TaskList> {
  const named = await Promise.all(listTaskNames().map((name) => loadTask(name, runtime)));
  return Object.fromEntries(named);
}

async function loadTask(name: string, runtime: WorkerRuntime) {
  const { default: task } = (await import(new URL(`${name}.ts`, TASKS).href)) as { default: Task<unknown> };
  const queueTask = async (payload: unknown, helpers?: Partial<JobHelpers>) => {
    const startedAt = performance.now();
    const line = toldTask(name, payload, helpers?.job);
    if ('intent_id' in Object(payload)) runtime.pace.makeRoom();
    try {
      await task(payload, runtime);
      runtime.log.info(ended('done'));
    } catch (err) {
      runtime.log.error({ ...ended('threw'), err }, 'task threw');
      throw tellable(err); // the queue keeps its text beside the job
    }

    function ended(outcome: 'done' | 'threw') {
      runtime.metrics.tasks.observe({ task: name, outcome }, secondsSince(startedAt));
      return { ...line, ms: Math.round(performance.now() - startedAt), outcome };
    }
  };
  return [name, queueTask] as const;
}

/** What the log tells of a job: ids only. */
const toldTask = (task: string, payload: unknown, job: Partial<Job> | undefined) => ({
  task,
  ...(payload as object),
  ...(job && { job: job.id, attempt: job.attempts }),
});

const isTrading = (task: string) => TRADING.some((prefix) => task.startsWith(prefix));

/**
 * Starts the runners this process is told to run. A runner that the queue gave up, as it does when the database goes away,
 * starts again. `stop` takes no new jobs, lets those under way end, and burns no attempt.
 */
export async function startWorker(
  config: Config,
  log: Logger = openLog(config),
  metrics: Metrics = openMetrics(),
): Promise<RunningWorker> {
  const runtime = await openWorkerRuntime(config, log, metrics);
  const tasks = await loadTasks(runtime);
  const liveness = keepAlive(config.directUrl, {
    onError: (err) => log.warn({ err }, 'liveness connection'),
    onBuried: (buried) => log.warn({ buried }, 'took over from dead workers'),
  });
  const names = config.WORKER_RUNNERS === 'all' ? (['trading', 'outbound'] as const) : [config.WORKER_RUNNERS];
  const pools = new Map<RunnerName, string>();
  const onPool = (name: RunnerName) => async (id: string) => {
    pools.set(name, id);
    await liveness.holds([...pools.values()]);
  };
  const runners = names.map((name) => superviseRunner(name, { config, log, tasks, metrics, onPool: onPool(name) }));
  log.info({ runners: names }, 'worker is running');
  return {
    runtime,
    async stop() {
      runtime.readiness.stop();
      const drain = setTimeout(runtime.stop, DRAIN_MS);
      await Promise.all(runners.map((runner) => runner.stop()));
      clearTimeout(drain);
      await liveness.stop();
      await runtime.close();
    },
  };
}

type Supervised = { config: Config; log: Logger; tasks: TaskList; metrics: Metrics; onPool(id: string): Promise<void> };

function superviseRunner(
  name: RunnerName,
  { config, log, tasks, metrics, onPool }: Supervised,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let runner: Runner | undefined;
  const supervised = keepRunning();

  async function keepRunning(): Promise<void> {
    while (!stopping.signal.aborted) {
      const pool = openQueuePool(config.directUrl, (err) => log.warn({ err }, 'queue connection'));
      const unwatch = watchPool(metrics, {
        name: `queue_${name}`,
        limit: pool.options.max,
        state: queuePoolState(pool),
      });
      try {
        const events: WorkerEvents = new EventEmitter();
        const overdue = overdueEnd(events, stopping.signal);
        runner = await startRunner(name, events, { config, log, tasks, metrics, onPool }, pool);
        if (stopping.signal.aborted) await stopQuietly(runner);
        await Promise.race([runner.promise, overdue]);
      } catch (err) {
        log.error({ err, runner: name }, 'runner ended');
        if (runner) void stopQuietly(runner); // what is left of one that did not end
      }
      unwatch();
      const ended = pool.end().catch(() => {}); // its connections may be gone already
      await Promise.race([ended, sleep(RESTART_MS)]); // or be in the hands of what did not end
      await sleep(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => {}); // the stop ends the pause
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
 * Refuses when the queue gives a runner up by itself, as it does when it cannot write down that a job has ended, and the end then
 * does not come: the queue waits for calls that hang, and without end for what it lost with the database.
 */
function overdueEnd(events: WorkerEvents, stopping: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    events.once('pool:gracefulShutdown', () => {
      if (stopping.aborted) return; // then it is our own stop, which has its own bounds
      setTimeout(reject, GIVEN_UP_MS, new Error('The queue gave the runner up, and it did not end'));
    });
  });
}

/** Stopping twice throws in the queue; both times it stops. */
const stopQuietly = (runner: Runner) => runner.stop().catch(() => {});

function startRunner(
  name: RunnerName,
  events: WorkerEvents,
  { config, log, tasks, onPool }: Supervised,
  pgPool: ReturnType<typeof openQueuePool>,
): Promise<Runner> {
  events.on('pool:create', ({ workerPool }) => void onPool(workerPool.id));
  const concurrency = name === 'trading' ? config.TRADING_CONCURRENCY : config.OUTBOUND_CONCURRENCY;
  return run({
    pgPool,
    events,
    logger: new QueueLogger(() => (level, message) => {
      if ((level === 'error' || level === 'warning') && !TOLD_ELSEWHERE.test(message))
        log.warn({ runner: name }, message);
    }),
    noHandleSignals: true,
    preset: {
      worker: {
        concurrentJobs: concurrency,
        pollInterval: POLL_MS,
        localQueue: { size: concurrency, ttl: LOCAL_MS },
        completeJobBatchDelay: 0, // only in batches does the queue end itself, and not the process, where it cannot
        failJobBatchDelay: 0, // write down that a job has ended
        gracefulShutdownAbortTimeout: STOP_WITHIN_MS,
      },
    },
    taskList: Object.fromEntries(Object.entries(tasks).filter(([task]) => isTrading(task) === (name === 'trading'))),
    ...(name === 'outbound' && { crontab: readFileSync(new URL('crontab', TASKS), 'utf8') }),
  });
}

if (import.meta.main) {
  const config = readConfig();
  const log = openLog(config);
  const worker = await startWorker(config, log);
  const { stop } = await withMetrics(worker);
  stopOnSignal(stop, STOP_WITHIN_MS, (err) => log.fatal({ err }, 'stopped badly'));
}
