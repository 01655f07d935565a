import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { forgetProcess, type ProcessReport, registerCode, reportProcess } from '../capabilities/fleet/commands.ts';
import type { Clock } from '../capabilities/health/clock.ts';
import type { Readiness } from '../capabilities/health/readiness.ts';
import type { Config } from '../config.ts';
import { readCalls } from '../db/calls.ts';
import type { Db } from '../db/pool.ts';
import { readKeyring } from '../kernel/keyring.ts';
import type { Pauses } from '../kernel/pauses.ts';
import type { Metrics } from '../metrics/registry.ts';
import { VERSION } from '../metrics/version.ts';

const EVERY_MS = 5_000;

/** Settings in which processes may differ: where each listens, what each is for, and its way to the database. */
const OF_ONE_PROCESS: readonly string[] = [
  'DATABASE_DIRECT_URL',
  'DATABASE_POOLER',
  'DATABASE_URL',
  'HOST',
  'LOG_LEVEL',
  'METRICS_HOST',
  'METRICS_PORT',
  'PORT',
  'WORKER_RUNNERS',
  'directUrl',
];

type Member = {
  kind: ProcessReport['kind'];
  db: Db;
  config: Config;
  log: Pick<Logger, 'warn'>;
  metrics: Pick<Metrics, 'reached'>;
  clock: Clock;
  readiness: Pick<Readiness, 'failing'>;
  pauses: Pauses;
};

/** A process among the others. `id` names it in table `processes`. */
export type Membership = { id: string; leave(): Promise<void> };

/**
 * Writes what this process is and sees, now and every 5 s, so that operators find the one that differs, and learns which
 * upstreams other processes of its kind serve. A report that fails changes nothing; `leave` forgets the process.
 */
export function joinFleet({ kind, db, config, log, metrics, clock, readiness, pauses }: Member): Membership {
  const id = randomUUID();
  const constant = {
    id,
    kind,
    instance: `${hostname()}/${process.pid}`,
    version: VERSION,
    settings: fingerprints(config),
    sealingKeys: idsOf(config.SEALING_KEYS),
    agreementKeys: idsOf(config.AGREEMENT_KEYS),
  };
  let calls: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let hasLeft = false;
  let isFirst = true;
  let reporting = report();

  async function report(): Promise<void> {
    try {
      calls ??= await registerCode(db, VERSION, await readCalls());
      const failingChecks = isFirst ? ['starting'] : await readiness.failing(); // a check now would be kept for a second
      isFirst = false;
      const paused = pauses.list();
      const serves = servedBy(kind, config).filter((upstream) => !paused.includes(upstream));
      const present = {
        clockAheadS: clock.aheadS(),
        failingChecks,
        paused,
        serves,
        reach: [...metrics.reached.values()],
      };
      const others = await reportProcess(db, { ...constant, calls, ...present });
      pauses.setServed((upstream) => others.some((other) => other.kind === kind && other.serves.includes(upstream)));
    } catch (err) {
      log.warn({ err }, 'this process was not reported');
    }
    if (!hasLeft)
      timer = setTimeout(() => {
        reporting = report();
      }, EVERY_MS).unref();
  }

  return {
    id,
    async leave() {
      hasLeft = true;
      clearTimeout(timer);
      await reporting;
      await forgetProcess(db, id).catch((err) => log.warn({ err }, 'this process is shown for a minute more'));
    },
  };
}

const TRADING = ['netvenue', 'exvenue', 'registrar', 'processor'];

/** The upstreams whose work a process takes, by its runners. */
function servedBy(kind: ProcessReport['kind'], { WORKER_RUNNERS: runners, RECOVERY_MODE }: Config): string[] {
  if (RECOVERY_MODE) return [];
  if (kind === 'web') return TRADING;
  return [...(runners === 'outbound' ? [] : TRADING), ...(runners === 'trading' ? [] : ['mail'])];
}

/** A fingerprint of each setting that all processes share, by its name. */
const fingerprints = (config: Config): Record<string, string> =>
  Object.fromEntries(
    Object.entries(config)
      .filter(([name]) => !OF_ONE_PROCESS.includes(name))
      .map(([name, value]) => [name, fingerprint(`${name}\n${JSON.stringify(value) ?? ''}`)]),
  );

const DIGITS = 4; // 16 bits: they show that two values differ, and reveal neither

const fingerprint = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, DIGITS);

const idsOf = (keyring: string): string[] => readKeyring(keyring).map(({ id }) => id);
