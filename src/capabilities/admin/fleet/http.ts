import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { listDifferences, listProcesses } from './queries.ts';

type Deps = { db: Db };

const iso = (ms: number) => new Date(ms).toISOString();

/** Handles `GET /v2/admin/fleet`: every process, and what the running ones differ in. */
export const getFleet: Handler<'getFleet', Deps> = async ({ deps: { db } }) => {
  const [processes, differences] = await Promise.all([listProcesses(db), listDifferences(db)]);
  const shown = processes.map(({ reach, id: _, ...process }) => ({
    ...process,
    calls: reach.map(({ upstream, call, is_reachable, calledAtMs, succeededAtMs, error }) => ({
      upstream,
      call,
      is_reachable,
      called_at: iso(calledAtMs),
      succeeded_at: succeededAtMs === null ? null : iso(succeededAtMs),
      error,
    })),
  }));
  return { status: 200, body: { processes: shown, differences: [...differences] } };
};
