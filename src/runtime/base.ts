import type { Logger } from 'pino';
import type { Clock } from '../capabilities/health/clock.ts';
import { readiness } from '../capabilities/health/readiness.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/pool.ts';
import { sealCheck } from '../db/seal-check.ts';
import type { Pauses } from '../kernel/pauses.ts';
import { sealer } from '../kernel/seal.ts';
import type { Metrics } from '../metrics/registry.ts';
import { joinFleet } from './fleet.ts';

type Process = {
  kind: 'web' | 'worker';
  db: Db;
  config: Config;
  log: Logger;
  metrics: Metrics;
  clock: Clock;
  isListening?: () => boolean;
};

/** Work at upstreams whose credentials web uses. */
const READ_BY_WEB = ['network/place', 'payments/checkout'];

/** What every process works with. It is a member of the fleet from now until `fleet.leave`. */
export function runtimeBase({ kind, db, config, log, metrics, clock, isListening }: Process, pauses: Pauses) {
  const ours = sealer(config.SEALING_KEYS);
  const ready = readiness(db, config, {
    isClockOff: clock.isOff,
    hasKeys: sealCheck(db, ours),
    ...(isListening && { isListening }),
    ...(kind === 'web' && { isRejected: () => READ_BY_WEB.some(pauses.leaves) }),
  });
  return {
    config,
    log,
    metrics,
    readiness: ready,
    db,
    sealer: ours,
    pauses,
    fleet: joinFleet({ kind, db, config, log, metrics, clock, readiness: ready, pauses }),
  };
}
