import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';

const reach = z.object({
  upstream: z.string(),
  call: z.string(),
  is_reachable: z.boolean(),
  sinceMs: z.number(),
  calledAtMs: z.number(),
  succeededAtMs: z.number().nullable(),
  error: z.string().nullable(),
});

const processRow = z.object({
  id: z.string(),
  kind: z.enum(['web', 'worker']),
  instance: z.string(),
  version: z.string(),
  started_at: z.string(),
  seen_at: z.string(),
  is_running: z.boolean(),
  failing_checks: z.array(z.string()),
  paused: z.array(z.string()),
  clock_ahead_s: z.number().nullable(),
  sealing_keys: z.array(z.string()),
  agreement_keys: z.array(z.string()),
  reach: z.array(reach),
});

/** A process as it described itself last. */
export type FleetProcess = z.infer<typeof processRow>;

/** Every process of the last hour, web first. */
export const listProcesses = (db: Db): Promise<readonly FleetProcess[]> =>
  db.any(sql.type(processRow)`
    select f.id, f.kind, f.instance, f.version, f.started_at, f.seen_at, f.is_running, f.failing_checks, f.paused, f.clock_ahead_s,
      f.sealing_keys, f.agreement_keys, f.reach
    from ops.fleet f`);

const differenceRow = z.object({
  name: z.string(),
  value: z.string(),
  processes: z.array(z.string()),
  is_odd: z.boolean(),
});

/** What running processes differ in: one row for each value. */
export const listDifferences = (db: Db): Promise<readonly z.infer<typeof differenceRow>[]> =>
  db.any(sql.type(differenceRow)`
    select d.name, d.value, d.processes, d.is_odd
    from ops.fleet_differences d`);
