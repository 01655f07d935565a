import { sql } from 'slonik';
import { z } from 'zod';
import type { components } from '../../../contract/types.ts';
import { keysetPage } from '../../../db/keyset.ts';
import type { Db } from '../../../db/pool.ts';
import { type AppId, digest, idSchema, type UserId } from '../../../kernel/ids.ts';
import type { PageRequest } from '../../../kernel/pages.ts';

const sessionRow = z.custom<Omit<components['schemas']['UserSession'], 'current'>>();

const ownerRow = z.object({ session_id: z.string(), user_id: idSchema.user });

/** The session of a token and its user, if it is a user of this app; null for any other token. */
export const findSessionByToken = (db: Db, appId: AppId, token: string): Promise<z.infer<typeof ownerRow> | null> =>
  db.maybeOne(sql.prepared('find_session_by_token', ownerRow)`
    select s.id as session_id, s.user_id
    from user_sessions s
    join users u on u.id = s.user_id
    where s.digest = ${sql.binary(digest(token))} and u.app_id = ${appId}`);

/** A session in a list. */
export type ListedSession = z.infer<typeof sessionRow>;

/** A page of a user's live sessions, newest first, after the session `cursor`. */
export const listSessionsOf = (db: Db, userId: UserId, page: PageRequest): Promise<readonly ListedSession[]> =>
  db.any(sql.prepared('list_user_sessions', sessionRow)`
    select s.id as session_id, s.address, s.created_at, s.seen_at as last_seen_at, s.expires_at
    from user_sessions s
    where s.user_id = ${userId}
      and s.revoked_at is null
      and s.expires_at > now()
      and s.seen_at > now() - interval '7 days'
      and ${keysetPage({ table: 'user_sessions', alias: 's', order: 'newest first' }, page)}`);

/** Whether a session, live or ended, is of this user. */
export const isSessionOf = (db: Db, userId: UserId, sessionId: string): Promise<boolean> =>
  db.exists(sql.type(z.object({}))`select from user_sessions s where s.id = ${sessionId} and s.user_id = ${userId}`);
