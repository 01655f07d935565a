import type { Db } from '../../db/pool.ts';
import { ApiError } from '../../kernel/errors.ts';
import { removeTotp } from '../../users/totp/commands.ts';
import { type Actor, note } from '../audit/commands.ts';

/** Removes a user's authenticator, with the audit entry and a mail to the user. Throws V2_MFA_NOT_STARTED without one. */
export const removeAuthenticator = (db: Db, userId: string, actor: Actor, why: string): Promise<void> =>
  db.transaction(async (tx) => {
    if (!(await removeTotp(tx, userId))) throw new ApiError('V2_MFA_NOT_STARTED');
    await note(tx, { actor, action: 'user.remove_authenticator', why }, userId);
  });
