import type { Logger } from 'pino';
import type { Clock } from '../capabilities/health/clock.ts';
import { readiness } from '../capabilities/health/readiness.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/pool.ts';
import { sealer } from '../kernel/seal.ts';
import type { Metrics } from '../metrics/registry.ts';

type Process = { db: Db; config: Config; log: Logger; metrics: Metrics; clock: Clock; isListening?: () => boolean };

/** What every process works with. */
export const runtimeBase = ({ db, config, log, metrics, clock, isListening }: Process) => ({
  config,
  log,
  metrics,
  readiness: readiness(db, config, isListening, clock.isOff),
  db,
  sealer: sealer(config.SEALING_KEYS),
});
