import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import { digest } from '../../kernel/digest.ts';
import type { AppId, UserId } from '../../kernel/ids.ts';

const sessionRow = z.custom<Omit<components['schemas']['UserSession'], 'current'>>();

const ownerRow = z.object({ session_id: z.string(), user_id: z.string() });

/** The session of a token and its user, if it is a user of this app; null for any other token. */
export const findSessionByToken = (db: Db, appId: AppId, token: string): Promise<z.infer<typeof ownerRow> | null> =>
  db.maybeOne(sql.prepared('find_session_by_token', ownerRow)`
    select s.id as session_id, s.user_id
    from user_sessions s
    join users u on u.id = s.user_id
    where s.digest = ${sql.binary(digest(token))} and u.app_id = ${appId}`);

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
