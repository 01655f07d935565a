import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../db/pool.ts';
import { newId, normalisedEmail } from '../../kernel/ids.ts';
import type { OperatorRole } from '../../kernel/operator-roles.ts';
import { hashPassword, operatorLane } from '../../kernel/passwords.ts';

/**
 * Creates an operator and returns the id. The operator enrolls an authenticator at the first login. Throws a database
 * error if the address is taken.
 */
export async function createAdmin(db: Db, email: string, password: string, role: OperatorRole): Promise<string> {
  const adminId = newId('adn');
  const hash = await hashPassword(password, operatorLane(null));
  await db.query(sql.prepared('create_admin', z.object({}))`
    insert into admins (id, email, password_hash, role)
    values (${adminId}, ${normalisedEmail(email)}, ${hash}, ${role})`);
  return adminId;
}

/**
 * Sets an operator's password, ends every session and an invitation, and withdraws the operator's approvals. With `forgetTotp` a
 * new authenticator can be enrolled. Returns the id; null for an unknown address.
 */
export async function resetAdmin(db: Db, email: string, password: string, forgetTotp: boolean): Promise<string | null> {
  const hash = await hashPassword(password, operatorLane(null));
  return db.transaction(async (tx) => {
    const adminId = await tx.maybeOneFirst(sql.prepared('reset_admin', z.object({ id: z.string() }))`
      update admins
      set password_hash = ${hash},
        invitation_digest = null,
        invitation_expires_at = null,
        totp_seed = case when ${forgetTotp} then null else totp_seed end,
        totp_enrolled_at = case when ${forgetTotp} then null else totp_enrolled_at end,
        totp_step = case when ${forgetTotp} then null else totp_step end,
        totp_releases = totp_releases + 1
      where email = ${normalisedEmail(email)}
      returning id`);
    if (adminId === null) return null;
    // a statement of its own: it sees a session whose log-in held the operator's row until now
    await tx.query(sql.prepared('end_sessions_of_admin', z.object({}))`select end_operator_sessions(${adminId})`);
    return adminId;
  });
}
