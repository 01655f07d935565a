import type { Logger } from 'pino';
import { mailer } from '../adapters/mail/index.ts';
import { watchClock } from '../capabilities/health/clock.ts';
import { watchBehind } from '../capabilities/health/restore-check.ts';
import { openPace } from '../capabilities/webhooks/deliver.ts';
import { laneStepper } from '../capabilities/webhooks/store.ts';
import { jobsOfOneUpstream } from '../capacity/jobs.ts';
import type { Config } from '../config.ts';
import { streamSlot } from '../db/look-up-slots.ts';
import { openPool, WORKER_LIMITS } from '../db/pool.ts';
import { justAccepted } from '../intents/claim.ts';
import { onSettled } from '../intents/settle.ts';
import { atOnce } from '../kernel/at-once.ts';
import { openPauses } from '../kernel/pauses.ts';
import { poolState, watchPauses, watchPool } from '../metrics/process.ts';
import type { Metrics } from '../metrics/registry.ts';
import { watched } from '../metrics/upstreams.ts';
import { venueReads } from '../venues/reads.ts';
import { runtimeBase } from './base.ts';
import { openUpstreams } from './upstreams.ts';
import { networkEntities, orderChecks } from './venues.ts';

/** The dependencies of the worker process. Each task declares the part it uses. */
export type WorkerRuntime = Awaited<ReturnType<typeof openWorkerRuntime>>;

/**
 * Opens the dependencies of the worker process. `stop` makes calls in progress end in doubt. `close` waits until late
 * responses are recorded, then releases all connections.
 */
export async function openWorkerRuntime(config: Config, log: Logger, metrics: Metrics) {
  const onError = (err: Error) => log.warn({ err }, 'database connection');
  const db = await openPool(config.directUrl, config.WORKER_POOL_SIZE, onError, WORKER_LIMITS);
  const clock = await watchClock(db, log, metrics);
  const stopping = new AbortController();
  const late = new Set<Promise<unknown>>();
  const activity = { lastIntentMs: Number.NEGATIVE_INFINITY, lanes: 0 };
  const watching = [watchPool(metrics, { name: 'worker', limit: config.WORKER_POOL_SIZE, state: poolState(db) })];
  onSettled(db, { observe: metrics.intents.observe.bind(metrics.intents), ended: metrics.ended.intents });
  const pauses = openPauses();
  const upstreams = await openUpstreams({ config, metrics, log, db, pauses, jobs: config.TRADING_CONCURRENCY });
  const { exvenue, registrar, webhooks, processor } = upstreams;
  watching.push(watchPauses(metrics, pauses.left));
  const behind = watchBehind({ db, log, config, shown: upstreams.shown });
  const platform = upstreams.netvenue();
  const mail = mailer({
    url: config.SMTP_URL,
    from: config.MAIL_FROM,
    tls: config.SMTP_TLS,
    most: jobsOfOneUpstream(config.OUTBOUND_CONCURRENCY),
  });
  const base = runtimeBase({ kind: 'worker', db, config, log, metrics, clock }, pauses);
  const reads = venueReads(platform, exvenue, config.VENUE_READ_MS);
  return {
    ...base,
    mailer: watched('mail', mail, metrics, log, { pauses }),
    webhooks,
    processor,
    exvenue,
    openStream: upstreams.openStream,
    slot: streamSlot(db, config.EXVENUE_URL),
    registrar,
    venues: networkEntities(platform, { config, upstreams, db, sealer: base.sealer }),
    reads,
    checks: orderChecks(db, reads),
    watching: atOnce(jobsOfOneUpstream(config.OUTBOUND_CONCURRENCY)),
    syncing: atOnce(jobsOfOneUpstream(config.TRADING_CONCURRENCY)),
    stepLane: laneStepper(db),
    activity,
    accepted: justAccepted(),
    pace: openPace(config.OUTBOUND_PER_S, activity),
    stopping: stopping.signal,
    late,
    stop: () => stopping.abort(),
    async close() {
      clock.stop();
      behind.stop();
      for (const unwatch of watching) unwatch();
      stopping.abort();
      await base.fleet.leave();
      await Promise.all(late);
      mail.close();
      webhooks.close();
      await db.end();
    },
  };
}
