import { sql } from 'slonik';
import { z } from 'zod';
import type { ResponseCache } from '../kernel/shared-upstream.ts';
import type { Db } from './pool.ts';

const keptResponse = z.object({ body: z.unknown(), age_ms: z.number() });

/** The last responses of an upstream to reads that change seldom, kept for all processes and for the next start. */
export const upstreamResponses = (db: Db, upstream: string): ResponseCache => ({
  async find(name) {
    const kept = await db.maybeOne(sql.prepared('find_upstream_response', keptResponse)`
      select r.body, extract(epoch from now() - r.read_at)::double precision * 1000 as age_ms
      from upstream_responses r
      where r.upstream = ${upstream} and r.name = ${name}`);
    return kept && { body: kept.body, ageMs: kept.age_ms };
  },
  async keep(name, body) {
    await db.query(sql.prepared('keep_upstream_response', z.object({}))`
      insert into upstream_responses as r (upstream, name, body, read_at)
      values (${upstream}, ${name}, ${JSON.stringify(body)}::jsonb, now())
      on conflict (upstream, name) do update
      set body = excluded.body, read_at = excluded.read_at`);
  },
});
