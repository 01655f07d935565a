import { sql } from 'slonik';
import { z } from 'zod';
import type { Db } from '../../../db/pool.ts';
import type { ErrorCode } from '../../../kernel/error-codes.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { digest, newId, newSecret, normalisedEmail } from '../../../kernel/ids.ts';
import type { OperatorRole } from '../../../kernel/operator-roles.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { newMail } from '../../mail/commands.ts';
import { type Actor, note } from '../audit/commands.ts';

/** Who acts on another operator, and why. The change and its audit entry are one transaction. */
type By = { actor: Actor & { adminId: string }; why: string };

const INVITATION_LIVES_S = 24 * 3_600;

const VERDICTS: Record<string, ErrorCode> = {
  unknown: 'V2_OPERATOR_UNKNOWN',
  self: 'V2_OPERATOR_SELF',
  last_admin: 'V2_OPERATOR_LAST_ADMIN',
};

const verdictRow = z.object({ verdict: z.string() });

/** Disables or enables an operator. Throws V2_OPERATOR_UNKNOWN, V2_OPERATOR_SELF and V2_OPERATOR_LAST_ADMIN. */
export const setOperatorActive = (db: Db, operator: string, isActive: boolean, { actor, why }: By): Promise<void> =>
  db.transaction(async (tx) => {
    requireDone(
      await tx.oneFirst(sql.prepared('disable_operator', verdictRow)`
        select disable_operator(${operator}, ${actor.adminId}, ${!isActive}) as verdict`),
    );
    await note(tx, { actor, action: isActive ? 'operator.enable' : 'operator.disable', why }, operator);
  });

/** Gives an operator another role. Throws as `setOperatorActive`. */
export const setOperatorRole = (db: Db, operator: string, role: OperatorRole, { actor, why }: By): Promise<void> =>
  db.transaction(async (tx) => {
    requireDone(
      await tx.oneFirst(sql.prepared('set_operator_role', verdictRow)`
        select set_operator_role(${operator}, ${actor.adminId}, ${role}) as verdict`),
    );
    await note(tx, { actor, action: 'operator.set_role', why, detail: { role } }, operator);
  });

/** Ends the sessions of an operator and returns how many were open. Throws V2_OPERATOR_UNKNOWN. */
export const endOperatorSessions = (db: Db, operator: string, { actor, why }: By): Promise<number> =>
  db.transaction(async (tx) => {
    if (!(await tx.exists(sql.unsafe`select from admins a where a.id = ${operator}`)))
      throw new ApiError('V2_OPERATOR_UNKNOWN');
    const ended = await tx.oneFirst(sql.prepared('end_operator_sessions', z.object({ ended: z.number() }))`
      select end_operator_sessions(${operator}) as ended`);
    await note(tx, { actor, action: 'operator.end_sessions', why, detail: { ended } }, operator);
    return ended;
  });

const INVITE_AGAIN =
  'An operator with this address exists already. Resetting its authenticator mails another invitation, if one has expired or is lost.';

/** Creates an operator, who sets a password by the mailed invitation. Returns the id. Throws V2_OPERATOR_EXISTS. */
export const inviteOperator = (
  db: Db,
  sealer: Sealer,
  { email, role, link }: { email: string; role: OperatorRole; link: Link },
  { actor, why }: By,
): Promise<string> =>
  db.transaction(async (tx) => {
    const operator = await mailInvitation(tx, sealer, { address: normalisedEmail(email), role, link });
    if (operator === null) throw new ApiError('V2_OPERATOR_EXISTS', { message: INVITE_AGAIN });
    await note(tx, { actor, action: 'operator.invite', why, detail: { role } }, operator);
    return operator;
  });

/**
 * Removes password and authenticator of an operator, ends the sessions, and mails a new invitation: whoever lost the
 * authenticator proves the mailbox, and a password that somebody else knows is worth nothing. Throws as
 * `setOperatorActive`.
 */
export const resetOperator = (
  db: Db,
  sealer: Sealer,
  operator: string,
  link: Link,
  { actor, why }: By,
): Promise<void> =>
  db.transaction(async (tx) => {
    requireDone(
      await tx.oneFirst(sql.prepared('remove_operator_authenticator', verdictRow)`
        select remove_operator_authenticator(${operator}, ${actor.adminId}) as verdict`),
    );
    const address = await tx.oneFirst(sql.prepared('operator_address', z.object({ email: z.string() }))`
      select a.email from admins a where a.id = ${operator}`);
    await mailInvitation(tx, sealer, { address, role: null, link });
    await note(tx, { actor, action: 'operator.reset_authenticator', why }, operator);
  });

/** The address of the page that accepts an invitation, with its token. */
export type Link = (token: string) => string;

const operatorRow = z.object({ operator: z.string().nullable() });

function mailInvitation(
  db: Pick<Db, 'oneFirst'>,
  sealer: Sealer,
  { address, role, link }: { address: string; role: OperatorRole | null; link: Link },
): Promise<string | null> {
  const token = newSecret('inv');
  const mail = newMail(sealer, link(token));
  return db.oneFirst(sql.prepared('invite_operator', operatorRow)`
    select invite_operator(
      ${newId('adn')}, ${address}, ${role}, ${sql.binary(digest(token))}, ${INVITATION_LIVES_S}, ${mail.id}, ${sql.binary(mail.sealed)}
    ) as operator`);
}

/** The address that a mailed token invites; null for a wrong, used or expired one. */
export const findInvited = (db: Db, token: string): Promise<string | null> =>
  db.maybeOneFirst(sql.prepared('find_invited', z.object({ email: z.string() }))`
    select a.email
    from admins a
    where a.invitation_digest = ${sql.binary(digest(token))} and a.invitation_expires_at > now() and a.disabled_at is null`);

/** Sets the hash of the password of the operator who holds the mailed token, once. Throws V2_INVITATION_INVALID. */
export async function acceptInvitation(
  db: Db,
  { token, hash }: { token: string; hash: string },
  actorOf: (adminId: string) => Actor,
): Promise<void> {
  await db.transaction(async (tx) => {
    const operator = await tx.oneFirst(sql.prepared('accept_invitation', operatorRow)`
      select accept_invitation(${sql.binary(digest(token))}, ${hash}) as operator`);
    if (operator === null) throw new ApiError('V2_INVITATION_INVALID');
    await note(tx, { actor: actorOf(operator), action: 'operator.accept_invitation' }, operator);
  });
}

function requireDone(verdict: string): void {
  const code = VERDICTS[verdict];
  if (code) throw new ApiError(code, { effect: 'none' });
}
