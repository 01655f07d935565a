import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import type { UserId } from '../../kernel/ids.ts';

const sessionRow = z.custom<Omit<components['schemas']['UserSession'], 'current'>>();

/** A user's live sessions, newest first. */
export const listSessionsOf = (db: Db, userId: UserId): Promise<readonly z.infer<typeof sessionRow>[]> =>
  db.any(sql.prepared('list_user_sessions', sessionRow)`
    select s.id as session_id, s.address, s.created_at, s.seen_at as last_seen_at, s.expires_at
    from user_sessions s
    where s.user_id = ${userId}
      and s.revoked_at is null
      and s.expires_at > now()
      and s.seen_at > now() - interval '7 days'
    order by s.created_at desc, s.id`);
