import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';

const sessionRow = z.object({
  session_id: z.string(),
  address: z.string().nullable(),
  created_at: z.string(),
  last_seen_at: z.string(),
  expires_at: z.string(),
});

/** The sessions of a user that are good, newest first. */
export const listSessionsOf = (db: Db, userId: string): Promise<readonly z.infer<typeof sessionRow>[]> =>
  db.any(sql.prepared('list_user_sessions', sessionRow)`
    select s.id as session_id, s.address, s.created_at, s.seen_at as last_seen_at, s.expires_at
    from user_sessions s
    where s.user_id = ${userId}
      and s.revoked_at is null
      and s.expires_at > now()
      and s.seen_at > now() - interval '7 days'
    order by s.created_at desc, s.id`);
