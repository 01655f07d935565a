import type { Call, Handler } from '../../contract/handler.ts';
import type { Db } from '../../db/pool.ts';
import type { Throttle } from '../../db/throttles.ts';
import { ApiError } from '../../kernel/errors.ts';
import { digest, normalisedEmail } from '../../kernel/ids.ts';
import { isGuessable } from '../../kernel/passwords.ts';
import { appOf, userOf } from '../../kernel/principal.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { budgetOf } from '../../kernel/throttles.ts';
import { countCodeMail, forgetAttempts, mayMailReset } from './attempts.ts';
import {
  type Account,
  AddressChanged,
  confirmReset,
  hashForReset,
  hashForSignUp,
  renewCode,
  requestReset,
  signUp,
  tryCode,
  verifyEmail,
} from './commands.ts';
import { isResetToken } from './queries.ts';

type Deps = { db: Db; sealer: Sealer; throttle: Throttle };

/** Handles `POST /v2/auth/signup`: sign an end user up. */
export const signUpUser: Handler<'signUpUser', Deps> = async (call) => {
  const account = accountOf(call, call.body.email);
  rejectGuessable(call.body.password, account.email);
  await countCodeMail(call, account);
  for (;;)
    try {
      return await signUpOnce(call, account);
    } catch (error) {
      if (!(error instanceof AddressChanged)) throw error;
    }
};

async function signUpOnce({ deps, body, commit }: Call<'signUpUser', Deps>, account: Account) {
  const hashed = await hashForSignUp(deps.db, deps.sealer, account, body.password);
  return commit(async (db) => {
    const user_id = await signUp(db, deps.sealer, account, hashed);
    const body = { user_id, email: account.email, email_verified: false as const, otp_sent: true as const };
    return { status: 200 as const, body };
  });
}

/** Handles `POST /v2/auth/verify-email`: verify an address with its code. */
export const verifyUserEmail: Handler<'verifyUserEmail', Deps> = async (call) => {
  const account = accountOf(call, call.body.email);
  const budget = budgetOf('code', account.appId, account.email, call.network);
  await call.throttle(budget);
  const { db, sealer, throttle } = call.deps;
  await tryCode(db, sealer, account, call.body.code, call); // counted also if what follows fails
  const reply = await call.commit(async (tx) => {
    const { userId, token, expiresAt } = await verifyEmail(tx, sealer, account, call.body.code, call);
    return {
      status: 200 as const,
      body: {
        user_id: userId,
        email: account.email,
        email_verified: true as const,
        session_token: token,
        session_expires_at: expiresAt,
      },
    };
  });
  await throttle.forgive([budget]);
  return reply;
};

/** Handles `POST /v2/auth/resend-otp`: mail a new code. */
export const resendUserCode: Handler<'resendUserCode', Deps> = async (call) => {
  const account = accountOf(call, call.body.email);
  await countCodeMail(call, account);
  return call.commit(async (db) => {
    await renewCode(db, call.deps.sealer, account);
    return { status: 200, body: { sent: true } };
  });
};

/** Handles `POST /v2/auth/password-reset/request`: mail a reset token. */
export const requestPasswordReset: Handler<'requestPasswordReset', Deps> = async (call) => {
  const account = accountOf(call, call.body.email);
  await call.throttle(budgetOf('reset_mail', account.appId, account.email));
  const isMailed = await mayMailReset(call, account); // silently: alike for every address
  return call.commit(async (db) => {
    await requestReset(db, call.deps.sealer, account, isMailed);
    return { status: 200, body: { sent: true } };
  });
};

/** Handles `POST /v2/auth/password-reset/confirm`: choose a new password with the mailed token. */
export const confirmPasswordReset: Handler<'confirmPasswordReset', Deps> = async (call) => {
  const account = accountOf(call, call.body.email);
  const { token, new_password: password, revoke_api_keys: allKeys = true } = call.body;
  rejectGuessable(password, account.email);
  // The mailed token cannot be guessed: whoever has it need not wait for what others of the same network have tried.
  if (!(await isResetToken(call.deps.db, account, digest(token))))
    await call.throttle(budgetOf('code', account.appId, account.email, call.network));
  const hash = await hashForReset(call.deps.db, account, password);
  let userId = '';
  const reply = await call.commit(async (db) => {
    userId = await confirmReset(db, account, { token, hash, allKeys }, call);
    return { status: 200 as const, body: { reset: true as const } };
  });
  await forgetAttempts(call, account, userId);
  return reply;
};

/** Handles `GET /v2/auth/me`: read the current end user. */
export const getCurrentUser: Handler<'getCurrentUser', Deps> = async ({ principal }) => {
  const { userId, email, owner } = userOf(principal);
  return { status: 200, body: { user_id: userId, email, app_id: owner } };
};

const accountOf = ({ principal }: Pick<Call, 'principal'>, email: string): Account => ({
  appId: appOf(principal).owner,
  email: normalisedEmail(email),
});

function rejectGuessable(password: string, email: string): void {
  if (isGuessable(password, email)) throw new ApiError('V2_PASSWORD_GUESSABLE');
}
