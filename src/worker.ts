import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger as QueueLogger, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { Logger } from 'pino';
import { type Config, readConfig } from './config.ts';
import { keepAlive } from './db/liveness.ts';
import { openQueuePool } from './db/pool.ts';
import type { Task } from './intents/task.ts';
import { openLog, openWorkerRuntime, type WorkerRuntime } from './runtime.ts';
import { stopOnSignal } from './stop.ts';

const TASKS = new URL('../workers/', import.meta.url);
const TRADING = ['orders/', 'accounts/', 'payments/', 'payouts/', 'kyc/', 'registration/', 'enrollments/'];
const POLL_MS = 500; // for jobs planned ahead; new ones are announced
const DRAIN_MS = 12_000; // how long calls under way may go on after the stop before they end as in doubt
const STOP_WITHIN_MS = 25_000;
const RESTART_MS = 500;
const FORESEEN = /maxPoolSize/; // fewer connections than jobs at once: the queue's own statements are short

export type RunningWorker = { runtime: WorkerRuntime; stop(): Promise<void> };
type RunnerName = 'trading' | 'outbound';

/** Every task of `workers/`, bound to a runtime. The file's path is the task's name. */
export async function loadTasks(runtime: WorkerRuntime): Promise<TaskList> {
  const files = readdirSync(TASKS, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const named = await Promise.all(files.map((file) => loadTask(file, runtime)));
  return Object.fromEntries(named);
}

async function loadTask(file: string, runtime: WorkerRuntime) {
  const { default: task } = (await import(new URL(file, TASKS).href)) as { default: Task<unknown> };
  const name = file.replace(/\.ts$/, '');
  const queueTask = async (payload: unknown) => {
    const startedAt = performance.now();
    await task(payload, runtime);
    runtime.log.info({ task: name, ...(payload as object), ms: Math.round(performance.now() - startedAt) });
  };
  return [name, queueTask] as const;
}

const isTrading = (task: string) => TRADING.some((prefix) => task.startsWith(prefix));

/**
 * Starts the runners this process is told to run. A runner that the queue gave up, as it does when the database goes away,
 * starts again. `stop` takes no new jobs, lets those under way end, and burns no attempt.
 */
export async function startWorker(config: Config, log: Logger = openLog(config)): Promise<RunningWorker> {
  const runtime = await openWorkerRuntime(config, log);
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
  const runners = names.map((name) => superviseRunner(name, { config, log, tasks, onPool: onPool(name) }));
  log.info({ runners: names }, 'worker is running');
  return {
    runtime,
    async stop() {
      const drain = setTimeout(runtime.stop, DRAIN_MS);
      await Promise.all(runners.map((runner) => runner.stop()));
      clearTimeout(drain);
      await liveness.stop();
      await runtime.close();
    },
  };
}

type Supervised = { config: Config; log: Logger; tasks: TaskList; onPool(id: string): Promise<void> };

function superviseRunner(name: RunnerName, { config, log, tasks, onPool }: Supervised): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let runner: Runner | undefined;
  const supervised = keepRunning();

  async function keepRunning(): Promise<void> {
    while (!stopping.signal.aborted) {
      const pool = openQueuePool(config.directUrl, (err) => log.warn({ err }, 'queue connection'));
      try {
        runner = await startRunner(name, { config, log, tasks, onPool }, pool);
        if (stopping.signal.aborted) await stopQuietly(runner);
        await runner.promise;
      } catch (err) {
        log.error({ err, runner: name }, 'runner ended');
      }
      await pool.end().catch(() => {}); // its connections may be gone already
      await sleep(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => {}); // the stop ends the pause
    }
  }

  return {
    async stop() {
      stopping.abort();
      if (runner) await stopQuietly(runner);
      await supervised;
    },
  };
}

/** Stopping twice throws in the queue; both times it stops. */
const stopQuietly = (runner: Runner) => runner.stop().catch(() => {});

function startRunner(
  name: RunnerName,
  { config, log, tasks, onPool }: Supervised,
  pgPool: ReturnType<typeof openQueuePool>,
): Promise<Runner> {
  const events: WorkerEvents = new EventEmitter();
  events.on('pool:create', ({ workerPool }) => void onPool(workerPool.id));
  events.on('job:error', ({ job, error }) =>
    log.error({ err: error, task: job.task_identifier, job: job.id }, 'task threw'),
  );
  const concurrency = name === 'trading' ? config.TRADING_CONCURRENCY : config.OUTBOUND_CONCURRENCY;
  return run({
    pgPool,
    events,
    logger: new QueueLogger(() => (level, message) => {
      if ((level === 'error' || level === 'warning') && !FORESEEN.test(message)) log.warn({ runner: name }, message);
    }),
    noHandleSignals: true,
    preset: {
      worker: {
        concurrentJobs: concurrency,
        pollInterval: POLL_MS,
        localQueue: { size: concurrency },
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
  stopOnSignal(worker.stop, STOP_WITHIN_MS, (err) => log.fatal({ err }, 'stopped badly'));
}
