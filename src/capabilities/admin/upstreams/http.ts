import { bucketOf } from '../../../capacity/exchange.ts';
import type { Config } from '../../../config.ts';
import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import type { Reach } from '../../../kernel/shared-upstream.ts';
import { listUpstreamWrites } from './queries.ts';

type Deps = {
  config: Pick<Config, 'EXVENUE_URL' | 'EXVENUE_BUDGET_PER_MINUTE'>;
  db: Db;
  metrics: { reached: ReadonlyMap<string, Reach> };
};

const iso = (ms: number) => new Date(ms).toISOString();

/** Handles `GET /v2/admin/upstreams`: read the state of the venues and other upstreams. */
export const getUpstreams: Handler<'getUpstreams', Deps> = async ({ deps }) => {
  const { EXVENUE_URL: name, EXVENUE_BUDGET_PER_MINUTE: perMinute } = deps.config;
  const writes = await listUpstreamWrites(deps.db, { name, ...bucketOf(perMinute) });
  const calls = [...deps.metrics.reached.values()].map(({ sinceMs, calledAtMs, ...reach }) => ({
    ...reach,
    since: iso(sinceMs),
    called_at: iso(calledAtMs),
  }));
  const callsOf = (upstream: string) =>
    calls
      .filter((each) => each.upstream === upstream)
      .sort((a, b) => a.call.localeCompare(b.call))
      .map(({ upstream: _, ...call }) => call);
  return { status: 200, body: { upstreams: writes.map((each) => ({ ...each, calls: callsOf(each.upstream) })) } };
};
