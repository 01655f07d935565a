import { type FragmentSqlToken, sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { digest, idSchema, newId, newSecret, type UserId } from '../../../kernel/ids.ts';
import type { App, User } from '../../../kernel/principal.ts';
import type { CheckedLogin, OpenedSession } from '../../login/check.ts';

const SESSION_LIVES_S = 30 * 86_400;

/**
 * The origin of a request. The address is stored with the session it opens; the network is stored as a digest among the
 * user's known networks.
 */
export type From = { address: string; network: string };

/** A new session's token, and its members as arguments of the SQL functions that open one. */
export function newSession({ address, network }: From): { token: string; members: FragmentSqlToken } {
  const token = newSecret('sess');
  return {
    token,
    members: sql.fragment`
      ${newId('uss')}, ${sql.binary(digest(token))}, ${SESSION_LIVES_S}, ${address}, ${sql.binary(digest(network))}`,
  };
}

/** Opens a session. Null if the code was used before or the password has changed meanwhile. */
export async function openSession(
  db: Db,
  { accountId, hash, newHash, step }: CheckedLogin,
  from: From,
): Promise<OpenedSession | null> {
  const { token, members } = newSession(from);
  const expiresAt = await db.oneFirst(sql.prepared('log_in', z.object({ expires_at: z.string().nullable() }))`
    select log_in(${accountId}, ${hash}, ${newHash}, ${step}::bigint, ${members}) as expires_at`);
  return expiresAt === null ? null : { token, expiresAt };
}

/**
 * Renews the proof of the password in a user's session; its time, ISO-8601. Null if the code was used before or the
 * password has changed meanwhile.
 */
export const reauthenticate = (
  db: Db,
  { accountId, hash, newHash, step }: CheckedLogin,
  sessionId: string,
): Promise<string | null> =>
  db.oneFirst(sql.prepared('reauthenticate', z.object({ proven_at: z.string().nullable() }))`
    select reauthenticate(${accountId}, ${hash}, ${newHash}, ${step}::bigint, ${sessionId}) as proven_at`);

/** Ends another session of a user, with the trader keys and the pending authenticator that were made in it. */
export async function removeSession(db: Db, userId: UserId, sessionId: string): Promise<void> {
  await db.query(sql.prepared('remove_session', z.object({}))`select remove_session(${userId}, ${sessionId})`);
}

/** Ends one of a user's sessions. Sessions of other users and ended ones are left unchanged. */
export async function endSession(db: Db, userId: UserId, sessionId: string): Promise<void> {
  await db.query(sql.prepared('end_user_session', z.object({}))`
    update user_sessions s
    set revoked_at = now()
    where s.id = ${sessionId} and s.user_id = ${userId} and s.revoked_at is null`);
}

/**
 * Locks a session until the commit: a reset or removal that ends it also sees what is written here. Throws
 * V2_SESSION_INVALID.
 */
export async function requireLiveSession(tx: Pick<Db, 'oneFirst'>, sessionId: string): Promise<void> {
  const isLive = await tx.oneFirst(sql.prepared('lock_live_session', z.object({ is_live: z.boolean() }))`
    select lock_live_session(${sessionId}) as is_live`);
  if (!isLive) throw new ApiError('V2_SESSION_INVALID');
}

/**
 * Finds the user of an app's session token and resets the session's idle time. Null for an unknown, ended or idle
 * session and for one of another app.
 */
export type UserFinder = (token: string, app: App) => Promise<User | null>;

const NOTED_EVERY_S = 60; // precision of the idle time; a session in use writes no more often

const PROVEN_FOR_S = 5 * 60;

const sessionRow = z.object({
  session_id: z.string(),
  user_id: idSchema.user,
  email: z.string(),
  lacks_proof: z.boolean(),
});

/** Creates the process's finder of users. */
export function userFinder(db: Db): UserFinder {
  return async (token, app) => {
    const row = await db.maybeOne(sql.prepared('find_user_session', sessionRow)`
      with found as (
        select s.id, s.seen_at, u.id as user_id, u.email,
          a.require_reauthentication
            and coalesce(s.proven_at < now() - make_interval(secs => ${PROVEN_FOR_S}), true) as lacks_proof
        from user_sessions s
        join users u on u.id = s.user_id
        join apps a on a.id = u.app_id
        where s.digest = ${sql.binary(digest(token))}
          and u.app_id = ${app.owner}
          and is_live_session(s)
      ), noted as (
        update user_sessions s
        set seen_at = now()
        from found f
        where s.id = f.id and f.seen_at < now() - make_interval(secs => ${NOTED_EVERY_S})
      )
      select f.id as session_id, f.user_id, f.email, f.lacks_proof
      from found f`);
    return row && userOfRow(row, app);
  };
}

const userOfRow = (row: z.infer<typeof sessionRow>, app: App): User => ({
  kind: 'user',
  owner: app.owner,
  app,
  userId: row.user_id,
  sessionId: row.session_id,
  email: row.email,
  lacksProof: row.lacks_proof,
});
