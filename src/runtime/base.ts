import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Db } from '../db/pool.ts';
import { readiness } from '../health/readiness.ts';
import { sealer } from '../kernel/seal.ts';
import type { Metrics } from '../metrics/registry.ts';

/** What every process works with. */
export const runtimeBase = (db: Db, config: Config, log: Logger, metrics: Metrics, isListening?: () => boolean) => ({
  config,
  log,
  metrics,
  readiness: readiness(db, config, isListening),
  db,
  sealer: sealer(config.SEALING_KEYS),
});
