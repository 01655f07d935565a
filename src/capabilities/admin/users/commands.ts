import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import type { UserId } from '../../../kernel/ids.ts';
import { removeSession } from '../../users/sessions/commands.ts';
import { removeTotp } from '../../users/totp/commands.ts';
import { type Actor, note } from '../audit/commands.ts';

/** Removes a user's authenticator, with the audit entry and a mail to the user. Throws V2_MFA_NOT_STARTED without one. */
export const removeAuthenticator = (db: Db, userId: UserId, actor: Actor, why: string): Promise<void> =>
  db.transaction(async (tx) => {
    if (!(await removeTotp(tx, userId))) throw new ApiError('V2_MFA_NOT_STARTED');
    await note(tx, { actor, action: 'user.remove_authenticator', why }, userId);
  });

const sessionRow = z.object({ id: z.string(), is_open: z.boolean() });

/**
 * Ends the open sessions of a user, or the one named, with what was made in them and the audit entry. Returns how many
 * were open. Throws V2_USER_UNKNOWN, and V2_SESSION_UNKNOWN for a session of somebody else.
 */
export const endSessions = (
  db: Db,
  { userId, sessionId }: { userId: UserId; sessionId: string | null },
  actor: Actor,
  why: string,
): Promise<number> =>
  db.transaction(async (tx) => {
    const isUser = await tx.exists(sql.unsafe`select from users u where u.id = ${userId}`);
    if (!isUser) throw new ApiError('V2_USER_UNKNOWN');
    const found = await tx.any(sql.type(sessionRow)`
      select s.id, s.revoked_at is null and s.expires_at > now() as is_open
      from user_sessions s
      where s.user_id = ${userId}
        and (s.id = ${sessionId} or (${sessionId}::text is null and s.revoked_at is null and s.expires_at > now()))
      order by s.id`);
    if (sessionId !== null && found.length === 0) throw new ApiError('V2_SESSION_UNKNOWN');
    for (const { id } of found) await removeSession(tx, userId, id);
    const ended = found.filter(({ is_open }) => is_open).length;
    const detail = { ended, ...(sessionId !== null && { session_id: sessionId }) };
    await note(tx, { actor, action: 'user.end_sessions', why, detail }, userId);
    return ended;
  });
