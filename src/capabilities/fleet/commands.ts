import { sql } from 'slonik';
import { z } from 'zod';
import { type Calls, digestOfCalls } from '../../db/calls.ts';
import type { Db } from '../../db/pool.ts';

/** What a process says of itself. Times are ISO-8601. */
export type ProcessReport = {
  id: string;
  kind: 'web' | 'worker';
  instance: string;
  version: string;
  calls: string;
  settings: Record<string, string>;
  sealingKeys: string[];
  agreementKeys: string[];
  clockAheadS: number | null;
  failingChecks: string[];
  reach: object[];
  paused: string[];
  serves: string[];
};

const FORGOTTEN_S = 3_600; // how long a killed process is shown
const LIVING_S = 15; // three reports

const otherRow = z.object({ kind: z.enum(['web', 'worker']), serves: z.array(z.string()) });

/** The other processes that run, and the upstreams whose work each takes. */
export type Others = readonly z.infer<typeof otherRow>[];

/** Records that code of this version runs, so that no release takes away what it calls. Returns the name of its calls. */
export async function registerCode(db: Db, version: string, calls: Calls): Promise<string> {
  const digest = digestOfCalls(calls);
  await db.query(sql.type(z.object({}))`
    insert into code_calls (digest, version, calls)
    values (${digest}, ${version}, ${JSON.stringify(calls)}::jsonb)
    on conflict (digest) do nothing`);
  return digest;
}

/** Writes what a process says of itself, forgets processes that were killed long ago, and returns the others that run. */
export const reportProcess = (db: Db, report: ProcessReport): Promise<Others> =>
  db.any(sql.type(otherRow)`
    with forgotten as (
      delete from processes p
      where p.seen_at < now() - make_interval(secs => ${FORGOTTEN_S})
    ), reported as (
      insert into processes as p (id, kind, instance, version, calls, settings, sealing_keys, agreement_keys, clock_ahead_s,
        failing_checks, reach, paused, serves)
      values (${report.id}, ${report.kind}, ${report.instance}, ${report.version}, ${report.calls},
        ${JSON.stringify(report.settings)}::jsonb, ${sql.array(report.sealingKeys, 'text')},
        ${sql.array(report.agreementKeys, 'text')}, ${report.clockAheadS}, ${sql.array(report.failingChecks, 'text')},
        ${JSON.stringify(report.reach)}::jsonb, ${sql.array(report.paused, 'text')}, ${sql.array(report.serves, 'text')})
      on conflict (id) do update
      set clock_ahead_s = excluded.clock_ahead_s, failing_checks = excluded.failing_checks, reach = excluded.reach,
        paused = excluded.paused, serves = excluded.serves, seen_at = now()
    )
    select o.kind, o.serves
    from processes o
    where o.id <> ${report.id} and o.seen_at > now() - make_interval(secs => ${LIVING_S})`);

/** Forgets a process that ends. */
export const forgetProcess = async (db: Db, id: string): Promise<void> => {
  await db.query(sql.type(z.object({}))`delete from processes where id = ${id}`);
};
