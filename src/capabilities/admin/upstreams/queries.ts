import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { Bucket } from '../../../kernel/shared-upstream.ts';

const writesRow = z.object({
  upstream: z.enum(['netvenue', 'exvenue', 'registrar', 'processor', 'mail']),
  waiting: z.number(),
  in_doubt: z.number(),
  in_doubt_because: z.string().nullable(),
  succeeded_at: z.string().nullable(),
  budget_used: z.number().nullable(),
});

/** The writes to each upstream, with the used part of the budget of the exchange, from 0 to 1; null before its first call. */
export const listUpstreamWrites = (
  db: Db,
  { name, burst, perSecond }: Bucket & { name: string },
): Promise<readonly z.infer<typeof writesRow>[]> =>
  db.any(sql.type(writesRow)`
    select u.upstream, u.waiting, u.in_doubt, u.in_doubt_because, u.succeeded_at,
      case when u.upstream = 'exvenue' then budget_used(${name}, ${burst}, ${perSecond}) end as budget_used
    from ops.upstreams u
    order by u.upstream`);
