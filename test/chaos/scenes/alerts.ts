import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Running, startWebProcess, until } from '../../support/processes.ts';
import { type Prometheus, startPrometheus } from '../../support/prometheus.ts';
import { writingTo } from '../../support/webhooks.ts';
import { openCrashable } from '../server.ts';
import { openStage, type Stage } from '../stage.ts';
import { seconds, type Verdict } from '../verdicts.ts';
import { loadNetwork } from './network-load.ts';

const RULES = fileURLToPath(new URL('../../../src/metrics/alerts.example.yml', import.meta.url));
const SCRAPE_MS = 20_000; // at scale 1
const HISTORY_MS = 600_000; // what a lost process is compared with, at scale 1
const PER_SECOND = 5;
/** The network takes some 150 of these orders of each, until their position is as large as it may be; then VenueEndsBadly fires, rightly. */
const TRADERS = 200;

/** Every duration of the rules is divided by `scale`. */
type Options = { program: string; scale: number };

/** What one outage led to: the alerts it should fire, when they did, and when they were resolved after its end. */
export type Alerted = {
  outage: string;
  expected: string[];
  firedMs: number;
  /** Null: not within the time. */
  resolvedMs: number | null;
  /** Alerts that fired although none should have. */
  pages: string[];
};

/** An outage, and the alerts that it should fire: one page at most. */
type Outage = {
  outage: string;
  pages: string[];
  warnings: string[];
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
};

/** Plays each outage against real processes that Prometheus scrapes, until its alerts fire and, after its end, are resolved. */
export async function alertOnOutages({ program, scale }: Options, report: (alerted: Alerted) => void): Promise<void> {
  const database = await openCrashable();
  const stage = await openStage({
    database,
    webs: 2,
    workers: 2,
    settings: { METRICS_PORT: '0', LOG_LEVEL: 'info', THROTTLE_SCALE: '1000' },
  });
  const webs = new Set<Running>(stage.webs);
  const prometheus = await startPrometheus(program, scaled(await readFile(RULES, 'utf8'), scale), SCRAPE_MS / scale);
  const scrape = async () => prometheus.scrape(await Promise.all([...webs, ...stage.workers].map(metricsPort)));
  const startWeb = async () =>
    webs.add(await startWebProcess({ ...stage.settings, PORT: new URL(stage.web.url).port }));
  const kill = async (processes: Iterable<Running>) => {
    for (const each of [...processes]) {
      each.kill('SIGKILL');
      await each.exited;
      webs.delete(each);
    }
  };
  const startWorkers = async (count: number) => {
    for (let n = 0; n < count; n++) await stage.startWorker();
    await scrape();
  };
  const outages: Outage[] = [
    {
      outage: 'one of two workers killed',
      pages: [],
      warnings: ['ProcessLost', 'WorkerLost'],
      begin: () => kill([...stage.workers].slice(0, 1)),
      end: () => startWorkers(1),
    },
    {
      outage: 'all workers killed',
      pages: ['NoWorkers'],
      warnings: [],
      begin: () => kill(stage.workers),
      end: () => startWorkers(2),
    },
    {
      outage: 'the network away',
      pages: ['UpstreamDown'],
      warnings: [],
      begin: async () => stage.upstream.faults.add({ kind: 'reset' }),
      end: async () => stage.upstream.faults.clear(),
    },
    {
      outage: 'the database away',
      pages: ['DatabaseAway'],
      warnings: [],
      begin: () => database.crash(),
      end: () => database.restart(),
    },
    failingEndpoint(stage),
    {
      outage: 'all web processes killed',
      pages: ['NoWeb'],
      warnings: [],
      begin: () => kill(webs),
      end: async () => {
        await startWeb();
        await scrape();
      },
    },
    {
      outage: 'all processes killed',
      pages: ['ServiceDown'],
      warnings: [],
      begin: () => kill([...webs, ...stage.workers]),
      end: async () => {
        await startWeb();
        await startWorkers(2);
      },
    },
  ];
  let isOver = false;
  const load = loadNetwork(stage, TRADERS, { perSecond: PER_SECOND, goOn: () => !isOver });
  load.catch(() => {}); // a request that gets no response is not what is measured
  try {
    await scrape();
    await sleep(HISTORY_MS / scale);
    for (const outage of outages) report(await play(outage, prometheus, scale));
  } finally {
    isOver = true;
    await kill([...webs]);
    await prometheus.stop();
    await stage.close();
  }
}

const WITHIN_MS = 1_200_000; // at scale 1

async function play(
  { outage, pages, warnings, begin, end }: Outage,
  prometheus: Prometheus,
  scale: number,
): Promise<Alerted> {
  const expected = [...pages, ...warnings];
  const paged = new Set<string>();
  const isFiring = async (name: string) => {
    const firing = await prometheus.firing();
    for (const { alert, severity } of firing) if (severity === 'page' && !pages.includes(alert)) paged.add(alert);
    return firing.some(({ alert }) => alert === name);
  };
  const once = (what: string, holds: () => Promise<boolean>) =>
    until(
      what,
      async () => {
        await sleep(200);
        return holds();
      },
      WITHIN_MS / scale,
    );
  const each = async (holds: (name: string) => Promise<boolean>) => {
    for (const name of expected) if (!(await holds(name))) return false;
    return true;
  };
  const startedAt = performance.now();
  await begin();
  await once(`${expected.join(', ')} of ${outage}`, () => each(isFiring));
  const firedMs = performance.now() - startedAt;
  await end();
  const endedAt = performance.now();
  const areResolved = once(`the end of ${outage}`, () => each(async (name) => !(await isFiring(name))));
  const resolvedMs = await areResolved.then(
    () => performance.now() - endedAt,
    () => null,
  );
  return { outage, expected, firedMs, resolvedMs, pages: [...paged] };
}

/** An endpoint that accepts no connection, with an event that was not delivered for an hour. */
function failingEndpoint(stage: Stage): Outage {
  const { app, endpoint } = writingTo(stage.rows, stage.settings);
  return {
    outage: 'an endpoint that accepts nothing',
    pages: [],
    warnings: ['EndpointFailing', 'DeliveriesUndelivered'],
    async begin() {
      const owner = await app();
      await endpoint(owner, 'http://127.0.0.1:9/');
      await stage.rows(`select emit_event($1, 'user.created', '{}')`, [owner]);
      await stage.rows(`update webhook_deliveries set created_at = now() - interval '1 hour'`);
    },
    async end() {
      await stage.rows(`update webhook_deliveries set state = 'cancelled', ended_at = now() where state = 'pending'`);
      await stage.rows(
        `update webhook_endpoints set active = false, failing_since = null, deactivated_because = 'asked'`,
      );
    },
  };
}

const metricsPort = async (process: Running): Promise<number> =>
  JSON.parse(await process.waitForLine(/metrics server is listening/)).metrics_port;

/** The rules with every duration divided, the ages that they compare with too. */
const scaled = (rules: string, scale: number): string =>
  rules
    .replaceAll(/(?<=for: |\[|:)(\d+)([smh])(?=\]|:|\n)/g, (_, n: string, unit: 's' | 'm' | 'h') => {
      return `${Math.round((Number(n) * { s: 1_000, m: 60_000, h: 3_600_000 }[unit]) / scale)}ms`;
    })
    .replaceAll(/(?<=oldest\w*_seconds\b.* > )(\d+)/g, (n) => String(Number(n) / scale));

/** Whether an outage fired its alerts, was resolved, and paged for nothing else. */
export const alertVerdict = (
  { outage, expected, firedMs, resolvedMs, pages }: Alerted,
  { scale }: Pick<Options, 'scale'>,
): Verdict => ({
  promise: 'ALERTS',
  text: outage,
  figure: `${expected.join(' and ')} after ${seconds(firedMs * scale)}, resolved ${resolvedMs === null ? 'never' : `${seconds(resolvedMs * scale)} after its end`}, other pages: ${pages.join(', ') || 'none'}${scale === 1 ? '' : ` (times ${scale})`}`,
  bound: 'fires, is resolved, and nothing else pages',
  kept: resolvedMs !== null && pages.length === 0,
});
