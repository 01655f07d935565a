import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { newIntentId, type UserId } from '../../../kernel/ids.ts';
import type { User } from '../../../kernel/principal.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { newSeed, otpauthUri, stepOf } from '../../../kernel/totp.ts';
import { userSealContext } from '../queries.ts';
import { requireLiveSession } from '../sessions/commands.ts';

const NOTIFIED_WITHIN_S = 86_400;

type Tx = Pick<Db, 'query' | 'one' | 'maybeOneFirst' | 'oneFirst'>;

/** Creates a new seed that waits for its first code; an authenticator shows it under the app's name. Throws V2_MFA_ALREADY_ENABLED. */
export async function enrollTotp(db: Db, sealer: Sealer, user: User): Promise<{ secret: string; otpauth_uri: string }> {
  const seed = newSeed();
  const issuer = await inLiveSession(db, user, (tx) =>
    tx.maybeOneFirst(sql.prepared('enroll_user_totp', z.object({ name: z.string() }))`
      update users u
      set totp_seed = ${sql.binary(sealer.seal(seed, userSealContext(user.userId)))}, totp_session_id = ${user.sessionId}
      where u.id = ${user.userId} and u.totp_enabled_at is null
      returning (select a.name from apps a where a.id = u.app_id) as name`),
  );
  if (issuer === null) throw new ApiError('V2_MFA_ALREADY_ENABLED');
  return { secret: seed, otpauth_uri: otpauthUri(seed, { issuer, account: user.email }) };
}

/**
 * Enables TOTP with its first code, which is then used up. Its time is after that of every log-in that needed no code, as `quarantine`
 * compares them: not that of a transaction which began before. Throws V2_MFA_INVALID for a wrong code, V2_MFA_NOT_STARTED without an
 * enrollment, and V2_MFA_ALREADY_ENABLED.
 */
export async function confirmTotp(db: Db, sealer: Sealer, user: User, code: string): Promise<void> {
  await inLiveSession(db, user, async (tx) => {
    const { totp_seed, is_enabled, now_s } = await getSeed(tx, user.userId);
    if (is_enabled) throw new ApiError('V2_MFA_ALREADY_ENABLED');
    if (!totp_seed) throw new ApiError('V2_MFA_NOT_STARTED');
    const step = stepOf(sealer.open(totp_seed, userSealContext(user.userId)).toString(), code, now_s);
    if (step === null) throw wrongCode();
    await tx.query(sql.prepared('confirm_user_totp', z.object({}))`
      with changed as (
        update users u
        set totp_enabled_at = clock_timestamp(), totp_step = ${step}
        where u.id = ${user.userId}
        returning u.id
      )
      select ${mailUser('totp_enabled')}
      from changed c`);
  });
}

/**
 * Disables TOTP with another code and deletes the seed. Throws V2_MFA_INVALID for a wrong or used code, and
 * V2_MFA_NOT_STARTED if TOTP is off.
 */
export async function disableTotp(db: Db, sealer: Sealer, user: User, code: string): Promise<void> {
  await inLiveSession(db, user, async (tx) => {
    const { totp_seed, is_enabled, now_s } = await getSeed(tx, user.userId);
    if (!totp_seed || !is_enabled) throw new ApiError('V2_MFA_NOT_STARTED');
    const step = stepOf(sealer.open(totp_seed, userSealContext(user.userId)).toString(), code, now_s); // null, of a wrong code, is above no step
    const { rowCount } = await tx.query(sql.prepared('disable_user_totp', z.object({}))`
      with changed as (
        update users u
        set totp_seed = null, totp_step = null, totp_enabled_at = null, totp_session_id = null
        where u.id = ${user.userId} and u.totp_step < ${step}
        returning u.id
      )
      select ${mailUser('totp_disabled')}
      from changed c`);
    if (rowCount === 0) throw wrongCode();
  });
}

/** Removes a user's authenticator and mails the user, in the operator's transaction. False: there is none. */
export async function removeTotp(tx: Pick<Db, 'query'>, userId: UserId): Promise<boolean> {
  const { rowCount } = await tx.query(sql.prepared('remove_user_totp', z.object({}))`
    with changed as (
      update users u
      set totp_seed = null, totp_step = null, totp_enabled_at = null, totp_session_id = null
      where u.id = ${userId} and u.totp_enabled_at is not null
      returning u.id
    )
    select ${mailUser('totp_removed')}
    from changed c`);
  return rowCount === 1;
}

/**
 * Runs a change of the user's authenticator in a transaction, only if the session has not ended meanwhile. Locks the user, then
 * the session, as a reset does: what the change reads of the user stays so. Throws V2_SESSION_INVALID.
 */
const inLiveSession = <Result>(
  db: Db,
  { userId, sessionId }: User,
  change: (tx: Tx) => Promise<Result>,
): Promise<Result> =>
  db.transaction(async (tx) => {
    await tx.query(
      sql.prepared('lock_user', z.object({}))`select from users u where u.id = ${userId} for no key update`,
    );
    await requireLiveSession(tx, sessionId);
    return change(tx);
  });

/** A mail to the user `c.id` of the statement. */
const mailUser = (template: string) =>
  sql.fragment`mail_user(c.id, ${template}, ${newIntentId()}, '{}', ${NOTIFIED_WITHIN_S})`;

const wrongCode = () => new ApiError('V2_MFA_INVALID', { headers: { 'WWW-Authenticate': 'Session realm="v2 users"' } });

const seedRow = z.object({ totp_seed: z.instanceof(Buffer).nullable(), is_enabled: z.boolean(), now_s: z.number() });

/** A user's sealed seed, whether it is confirmed, and the database's time. */
const getSeed = (db: Pick<Db, 'one'>, userId: UserId): Promise<z.infer<typeof seedRow>> =>
  db.one(sql.prepared('get_user_seed', seedRow)`
    select u.totp_seed, u.totp_enabled_at is not null as is_enabled, extract(epoch from now())::double precision as now_s
    from users u
    where u.id = ${userId}`);
