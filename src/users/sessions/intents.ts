import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { digest } from '../../kernel/digest.ts';

/** Ends one of a user's sessions. Foreign and ended ones are left alone. */
export async function endSession(db: Db, userId: string, sessionId: string): Promise<void> {
  await db.query(sql.prepared('end_user_session', z.object({}))`
    update user_sessions s
    set revoked_at = now()
    where s.id = ${sessionId} and s.user_id = ${userId} and s.revoked_at is null`);
}

/** Ends the session of a token, if it belongs to a user of this app. */
export async function endSessionByToken(db: Db, appId: string, token: string): Promise<void> {
  await db.query(sql.prepared('end_user_session_by_token', z.object({}))`
    update user_sessions s
    set revoked_at = now()
    from users u
    where s.digest = ${sql.binary(digest(token))} and u.id = s.user_id and u.app_id = ${appId} and s.revoked_at is null`);
}

/** Forgets throttles, tokens, codes, addresses and sign-ups that have expired; answers how many of the table that had most. */
export const forgetExpired = (db: Db, most: number): Promise<number> =>
  db.oneFirst(sql.prepared('forget_expired_identity', z.object({ count: z.number() }))`
    select forget_expired_identity(${most}) count`);
