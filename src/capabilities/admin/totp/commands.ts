import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { newIntentId } from '../../../kernel/ids.ts';
import type { Admin } from '../../../kernel/principal.ts';
import type { SealContext, Sealer } from '../../../kernel/seal.ts';
import { newSeed, otpauthUri, stepOf } from '../../../kernel/totp.ts';
import { type Actor, auditEntry, note } from '../audit/commands.ts';
import { endAdminSessions } from '../sessions/commands.ts';

const NOTIFIED_WITHIN_S = 86_400;

const ISSUER = 'Trading Partner Service';

/** The seal context of an operator's TOTP seed. */
export const adminSealContext = (adminId: string): SealContext => ({
  table: 'admins',
  row: adminId,
  column: 'totp_seed',
});

/** A seed for an authenticator. It is shown until its first code confirms it. */
export type Enrollment = { secret: string; otpauth_uri: string };

/**
 * Creates a new seed that waits for its first code. Throws V2_MFA_ALREADY_ENABLED if an authenticator is enrolled; only
 * a command removes one.
 */
export async function enrollAdminTotp(db: Db, sealer: Sealer, admin: Admin, actor: Actor): Promise<Enrollment> {
  const seed = newSeed();
  const sealed = sealer.seal(seed, adminSealContext(admin.adminId));
  const { rowCount } = await db.query(sql.prepared('enroll_admin_totp', z.object({}))`
    with changed as (
      update admins a
      set totp_seed = ${sql.binary(sealed)}
      where a.id = ${admin.adminId} and a.totp_enrolled_at is null
      returning a.id as subject
    ), noted as (${auditEntry({ actor, action: 'admin.totp_enroll' }, 'changed')})
    select subject
    from changed`);
  if (rowCount === 0) throw new ApiError('V2_MFA_ALREADY_ENABLED');
  return { secret: seed, otpauth_uri: otpauthUri(seed, { issuer: ISSUER, account: admin.email }) };
}

const seedRow = z.object({ totp_seed: z.instanceof(Buffer).nullable(), is_enrolled: z.boolean(), now_s: z.number() });

/** An operator's sealed seed, whether it is confirmed, and the database's time. Locks the operator: what is read stays so until the commit. */
export const lockSeed = (tx: Pick<Db, 'one'>, adminId: string): Promise<z.infer<typeof seedRow>> =>
  tx.one(sql.prepared('lock_admin_seed', seedRow)`
    select a.totp_seed, a.totp_enrolled_at is not null as is_enrolled, extract(epoch from now())::double precision as now_s
    from admins a
    where a.id = ${adminId}
    for no key update`);

/**
 * Confirms the seed with its first code, which is then used up. Ends every other session: each was opened with the
 * password alone and would count as enrolled from now on. Throws V2_MFA_INVALID for a wrong code, V2_MFA_NOT_STARTED without
 * an enrollment, and V2_MFA_ALREADY_ENABLED.
 */
export async function confirmAdminTotp(
  db: Db,
  sealer: Sealer,
  admin: Admin,
  code: string,
  actor: Actor,
): Promise<void> {
  const others = sql.fragment`s.admin_id = ${admin.adminId} and s.id <> ${admin.sessionId}`;
  await db.transaction(async (tx) => {
    const { totp_seed, is_enrolled, now_s } = await lockSeed(tx, admin.adminId);
    if (is_enrolled) throw new ApiError('V2_MFA_ALREADY_ENABLED');
    if (!totp_seed) throw new ApiError('V2_MFA_NOT_STARTED');
    const step = stepOf(sealer.open(totp_seed, adminSealContext(admin.adminId)).toString(), code, now_s);
    if (step === null) throw wrongCode();
    await tx.query(sql.prepared('confirm_admin_totp', z.object({}))`
      with changed as (
        update admins a
        set totp_enrolled_at = now(), totp_step = ${step}
        where a.id = ${admin.adminId}
        returning a.id as subject
      ), noted as (${auditEntry({ actor, action: 'admin.totp_confirm' }, 'changed')})
      select subject
      from changed`);
    // a statement of its own: it sees a session whose log-in held the operator's row until now
    await tx.query(sql.prepared('end_other_sessions_of_admin', z.object({}))`${endAdminSessions(others)}`);
  });
}

/** Mails an operator that someone with the password used all attempts of a day. */
export async function mailGuessed(db: Db, adminId: string): Promise<void> {
  await db.query(sql.prepared('mail_admin_guessed', z.object({}))`
    select post_mail(
      ${newIntentId()}, 'operator_guessed', a.email, jsonb_build_object('id', a.id), null, ${NOTIFIED_WITHIN_S})
    from admins a
    where a.id = ${adminId}`);
}

/**
 * Restores an operator's attempts at the authenticator code, with the audit entry. Throws V2_OPERATOR_SELF for the
 * operator's own account and V2_OPERATOR_UNKNOWN.
 */
export async function releaseAdmin(db: Db, adminId: string, actor: Actor, why: string): Promise<void> {
  if (adminId === actor.adminId) throw new ApiError('V2_OPERATOR_SELF');
  await db.transaction(async (tx) => {
    const { rowCount } = await tx.query(sql.prepared('release_admin', z.object({}))`
      update admins a
      set totp_releases = a.totp_releases + 1
      where a.id = ${adminId}`);
    if (rowCount === 0) throw new ApiError('V2_OPERATOR_UNKNOWN');
    await note(tx, { actor, action: 'admin.release', why }, adminId);
  });
}

const wrongCode = () =>
  new ApiError('V2_MFA_INVALID', { headers: { 'WWW-Authenticate': 'Session realm="v2 operators"' } });
