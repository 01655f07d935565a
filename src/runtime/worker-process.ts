import { checkEntity } from '../capabilities/accounts/entity-check.ts';
import { checkIsBehind } from '../capabilities/accounts/restore-check.ts';
import type { Config } from '../config.ts';
import { keepAlive } from '../db/liveness.ts';
import { requireOwnNetworks } from '../db/own-networks.ts';
import { openQueueNews } from '../db/queue-news.ts';
import { openMetrics } from '../metrics/registry.ts';
import { followWallets } from '../venues/exchange/ledger/stream/follow.ts';
import { checkCloseStyle } from '../venues/network/orders/close-style.ts';
import { openLog } from './log.ts';
import { runProcess } from './process.ts';
import { JOBS_OF, loadTasks, type RunnerName, STOP_WITHIN_MS, superviseRunner } from './runners.ts';
import { openWorkerRuntime, type WorkerRuntime } from './worker.ts';

const DRAIN_MS = 12_000; // how long calls in progress may continue during a stop before they end in doubt

/** A worker process that executes jobs. */
export type RunningWorker = { runtime: WorkerRuntime; stop(): Promise<void> };

/**
 * Starts the runners that `WORKER_RUNNERS` names; none in `RECOVERY_MODE`. A runner that the queue gives up, for example when the database goes
 * away, is started again. `stop` takes no new jobs, waits for those in progress, and uses up no attempt of a job.
 */
export async function startWorker(
  config: Config,
  log = openLog(config, 'worker'),
  metrics = openMetrics(),
): Promise<RunningWorker> {
  const runtime = await openWorkerRuntime(config, log, metrics);
  await requireOwnNetworks(runtime).catch(async (error) => {
    await runtime.close();
    throw error;
  });
  const tasks = await loadTasks(runtime);
  const liveness = keepAlive(config.directUrl, {
    onError: (err) => log.warn({ err }, 'liveness connection'),
    onReaped: (reaped) => log.warn({ reaped }, 'took over from dead workers'),
  });
  const names = runnersOf(config);
  const pools = new Map<RunnerName, string>();
  const onPool = (name: RunnerName) => async (id: string) => {
    pools.set(name, id);
    await liveness.holds([...pools.values()]);
  };
  const news = openQueueNews(config.directUrl, {
    channels: names.map((name) => JOBS_OF[name]),
    onAccepted: runtime.accepted.remember,
    onError: (err) => log.warn({ err }, 'queue connection'),
  });
  const runners = names.map((name) =>
    superviseRunner(name, { ...runtime, tasks, metrics, news, onPool: onPool(name) }),
  );
  if (names.includes('trading')) void checkCloseStyle(runtime);
  const following = names.includes('trading') ? follow(runtime) : null;
  void checkIsBehind(runtime).catch((err) => log.warn({ err }, 'not compared with the network'));
  void checkEntity(runtime).catch((err) => log.warn({ err }, 'the entity was not compared with the database'));
  if (config.RECOVERY_MODE) log.warn('RECOVERY_MODE is set: no job runs until it is unset');
  log.info({ runners: names }, 'worker is running');
  return {
    runtime,
    async stop() {
      runtime.readiness.stop();
      const drain = setTimeout(runtime.stop, DRAIN_MS);
      await Promise.all([following, ...runners].map((each) => each?.stop())); // all at once: a runner that is not told to stop goes on taking jobs
      clearTimeout(drain);
      await news.close();
      await liveness.stop();
      await runtime.close();
    },
  };
}

/** Follows the exchange's stream, if one is set. */
const follow = ({ openStream, ...runtime }: WorkerRuntime) => openStream && followWallets({ ...runtime, openStream });

/** The runners of a worker: none while the database is being recovered. */
const runnersOf = ({ WORKER_RUNNERS: wanted, RECOVERY_MODE }: Config): readonly RunnerName[] => {
  if (RECOVERY_MODE) return [];
  return wanted === 'all' ? ['trading', 'outbound'] : [wanted];
};

/** Runs the worker process until a signal stops it. */
export const runWorker = (): Promise<void> => runProcess('worker', startWorker, STOP_WITHIN_MS);
