import { bucketOf } from '../../../capacity/exchange.ts';
import type { Config } from '../../../config.ts';
import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import type { Reach } from '../../../kernel/shared-upstream.ts';
import { type FleetProcess, listProcesses } from '../fleet/queries.ts';
import { listUpstreamWrites } from './queries.ts';

type Deps = {
  config: Pick<Config, 'EXVENUE_URL' | 'EXVENUE_BUDGET_PER_MINUTE'>;
  db: Db;
  metrics: { reached: ReadonlyMap<string, Reach> };
  fleet: { id: string };
};

const iso = (ms: number) => new Date(ms).toISOString();

/** Handles `GET /v2/admin/upstreams`: read the state of the venues and other upstreams, as all processes see them. */
export const getUpstreams: Handler<'getUpstreams', Deps> = async ({ deps: { config, db, metrics, fleet } }) => {
  const { EXVENUE_URL: name, EXVENUE_BUDGET_PER_MINUTE: perMinute } = config;
  const [writes, processes] = await Promise.all([
    listUpstreamWrites(db, { name, ...bucketOf(perMinute) }),
    listProcesses(db),
  ]);
  const calls = processes
    .filter(({ is_running }) => is_running)
    .flatMap((process) => {
      const reach = process.id === fleet.id ? [...metrics.reached.values()] : process.reach; // its own are newer
      return reach.map((call) => ({ process, call }));
    });
  const callsOf = (upstream: string) =>
    calls
      .filter(({ call }) => call.upstream === upstream)
      .sort((a, b) => a.call.call.localeCompare(b.call.call) || b.call.calledAtMs - a.call.calledAtMs)
      .map(reachOf);
  return { status: 200, body: { upstreams: writes.map((each) => ({ ...each, calls: callsOf(each.upstream) })) } };
};

const reachOf = ({ process, call }: { process: FleetProcess; call: Reach }) => ({
  process: `${process.kind} ${process.instance}`,
  call: call.call,
  is_reachable: call.is_reachable,
  since: iso(call.sinceMs),
  called_at: iso(call.calledAtMs),
  succeeded_at: call.succeededAtMs === null ? null : iso(call.succeededAtMs),
  error: call.error,
});
