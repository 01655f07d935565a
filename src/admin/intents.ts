import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../db/pool.ts';
import { digest } from '../kernel/digest.ts';
import { normalisedEmail } from '../kernel/emails.ts';
import { newId, newSecret } from '../kernel/ids.ts';
import { hashPassword } from '../kernel/passwords.ts';
import type { Admin } from '../kernel/principal.ts';
import { Refusal } from '../kernel/refusals.ts';
import type { Place, Sealer } from '../kernel/seal.ts';
import { newSeed, otpauthUri, stepOf } from '../kernel/totp.ts';
import { type Act, type Actor, noting } from './audit/intents.ts';
import { findPendingSeed } from './queries.ts';

const SESSION_LIVES_S = 12 * 3_600;

/** Where the TOTP seed of an operator lies. */
export const adminSeed = (adminId: string): Place => ({ table: 'admins', row: adminId, column: 'totp_seed' });

/** Makes an operator, who enrolls an authenticator at the first log-in. Refuses nothing: a taken address throws. */
export async function createAdmin(db: Db, email: string, password: string, isSuperadmin: boolean): Promise<string> {
  const adminId = newId('adn');
  const hash = await hashPassword(password);
  await db.query(sql.prepared('create_admin', z.object({}))`
    insert into admins (id, email, password_hash, is_superadmin)
    values (${adminId}, ${normalisedEmail(email)}, ${hash}, ${isSuperadmin})`);
  return adminId;
}

/** Gives an operator a new password, ends every session, and with `forgetTotp` lets a new authenticator be enrolled. */
export async function resetAdmin(db: Db, email: string, password: string, forgetTotp: boolean): Promise<boolean> {
  const hash = await hashPassword(password);
  const { rowCount } = await db.query(sql.prepared('reset_admin', z.object({}))`
    with changed as (
      update admins
      set password_hash = ${hash},
        totp_seed = case when ${forgetTotp} then null else totp_seed end,
        totp_enrolled_at = case when ${forgetTotp} then null else totp_enrolled_at end,
        totp_step = case when ${forgetTotp} then null else totp_step end
      where email = ${normalisedEmail(email)}
      returning id
    ), ended as (
      update admin_sessions s
      set revoked_at = now()
      from changed c
      where s.admin_id = c.id and s.revoked_at is null
    )
    select id
    from changed`);
  return rowCount === 1;
}

/** A session just opened. The token is shown this once. */
export type OpenedSession = { token: string; expiresAt: string };

type Checked = { adminId: string; hash: string; newHash: string | null; step: number | null };

/**
 * Opens a session for an operator whose password was found right, with the time step of the code. Null where the code was used
 * before: of many log-ins with one code exactly one passes.
 */
export async function openAdminSession(
  db: Db,
  checked: Checked,
  act: Act,
  from: Buffer,
): Promise<OpenedSession | null> {
  const token = newSecret('adm');
  const opened = await db.maybeOne(sql.prepared('open_admin_session', z.object({ expires_at: z.string() }))`
    with opened as (
      select ${checked.adminId}::text as subject, o.expires_at
      from open_admin_session(
        ${checked.adminId}, ${checked.hash}, ${checked.newHash}, ${checked.step}::bigint,
        ${newId('ads')}, ${sql.binary(digest(token))}, ${SESSION_LIVES_S}
      ) o
    ), noted as (${noting(act, 'opened')}
    ), known as (
      insert into known_addresses (account, address)
      select o.subject, ${sql.binary(from)}
      from opened o
      on conflict (account, address) do update set seen_at = now()
    )
    select expires_at
    from opened`);
  return opened && { token, expiresAt: opened.expires_at };
}

/** Ends the session in use. */
export async function closeAdminSession(db: Db, admin: Admin, actor: Actor): Promise<void> {
  await db.query(sql.prepared('close_admin_session', z.object({}))`
    with closed as (
      update admin_sessions s
      set revoked_at = now()
      where s.id = ${admin.sessionId} and s.revoked_at is null
      returning s.admin_id as subject
    )
    ${noting({ actor, action: 'admin.logout' }, 'closed')}`);
}

/** A seed for an authenticator, shown until its first code confirms it. */
export type Enrollment = { secret: string; otpauth_uri: string };

/** Makes a new seed that waits for its first code. Refuses when an authenticator is enrolled: only a script takes it off. */
export async function enrollAdminTotp(db: Db, sealer: Sealer, admin: Admin, actor: Actor): Promise<Enrollment> {
  const seed = newSeed();
  const sealed = sealer.seal(seed, adminSeed(admin.adminId));
  const { rowCount } = await db.query(sql.prepared('enroll_admin_totp', z.object({}))`
    with changed as (
      update admins a
      set totp_seed = ${sql.binary(sealed)}
      where a.id = ${admin.adminId} and a.totp_enrolled_at is null
      returning a.id as subject
    ), noted as (${noting({ actor, action: 'admin.totp_enroll' }, 'changed')})
    select subject
    from changed`);
  if (rowCount === 0) throw new Refusal('V2_MFA_ALREADY_ENABLED');
  return { secret: seed, otpauth_uri: otpauthUri(seed, admin.email) };
}

/**
 * Confirms the seed by its first code, which is used up by that, and ends every other session: each was opened by the password alone,
 * and would be enrolled from now on. Refuses a wrong code and a confirmation without enrollment.
 */
export async function confirmAdminTotp(
  db: Db,
  sealer: Sealer,
  admin: Admin,
  code: string,
  actor: Actor,
): Promise<void> {
  const pending = await findPendingSeed(db, admin.adminId);
  if (!pending) throw new Refusal(admin.isEnrolled ? 'V2_MFA_ALREADY_ENABLED' : 'V2_MFA_NOT_STARTED');
  const step = stepOf(sealer.open(pending.totp_seed, adminSeed(admin.adminId)).toString(), code, pending.now_s);
  if (step === null) throw wrongCode();
  const { rowCount } = await db.query(sql.prepared('confirm_admin_totp', z.object({}))`
    with changed as (
      update admins a
      set totp_enrolled_at = now(), totp_step = ${step}
      where a.id = ${admin.adminId} and a.totp_enrolled_at is null and a.totp_seed = ${sql.binary(pending.totp_seed)}
      returning a.id as subject
    ), ended as (
      update admin_sessions s
      set revoked_at = now()
      from changed c
      where s.admin_id = c.subject and s.id <> ${admin.sessionId} and s.revoked_at is null
    ), noted as (${noting({ actor, action: 'admin.totp_confirm' }, 'changed')})
    select subject
    from changed`);
  if (rowCount === 0) throw wrongCode();
}

const wrongCode = () =>
  new Refusal('V2_MFA_INVALID', { headers: { 'WWW-Authenticate': 'Session realm="v2 operators"' } });
