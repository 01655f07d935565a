import { setTimeout as sleep } from 'node:timers/promises';
import type { Takeover } from './kills.ts';
import { killBusiest } from './kills.ts';
import type { Stage } from './stage.ts';

/**
 * What is done to the service: a worker is killed, a web process is killed, connections to the database are terminated,
 * the database crashes.
 */
export type Harm = 'kill' | 'web' | 'cut' | 'crash';

/** Harms in turn with a pause before each, while `goOn` returns true for their number so far. */
export type HarmPlan = { sequence: readonly Harm[]; everyMs: number; goOn(count: number): boolean };

/** How often each harm was done, and how long each job of a killed worker waited for another one, in milliseconds. */
export type Harms = Record<Harm, number> & { msOfJobs: number[] };

const CUT_AT_ONCE = 3;

/** Harms the service according to the plan. */
export async function harm(stage: Stage, { sequence, everyMs, goOn }: HarmPlan): Promise<Harms> {
  const counts: Record<Harm, number> = { kill: 0, web: 0, cut: 0, crash: 0 };
  const takeovers: Takeover[] = [];
  for (let n = 0; goOn(n); n++) {
    await sleep(everyMs);
    const next = sequence[n % sequence.length] ?? 'kill';
    if (next === 'kill') takeovers.push(await killBusiest(stage));
    else if (next === 'web') await stage.replaceWeb(n);
    else if (next === 'cut') await cutConnections(stage, CUT_AT_ONCE);
    else await stage.restartDatabase();
    counts[next] += 1;
  }
  const waits = await Promise.all(takeovers.map(({ waits }) => waits));
  return { ...counts, msOfJobs: waits.flat() };
}

/** Lets PostgreSQL terminate some of the service's connections, whatever they are doing. */
const cutConnections = ({ rows }: Stage, count: number) =>
  rows(
    `select pg_terminate_backend(pid)
     from (
       select pid
       from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend' and application_name <> 'stage'
       order by random()
       limit $1
     ) chosen`,
    [count],
  );
