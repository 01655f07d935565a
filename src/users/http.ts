import type { Call, Handler } from '../edge/handler.ts';
import { normalisedEmail } from '../kernel/emails.ts';
import { isGuessable } from '../kernel/passwords.ts';
import { appOf, userOf } from '../kernel/principal.ts';
import { Refusal } from '../kernel/refusals.ts';
import { budgetOf } from '../kernel/throttles.ts';
import { type Account, confirmReset, renewCode, requestReset, signUp, verifyEmail } from './intents.ts';
import { forgetTries } from './tries.ts';

export const signUpUser: Handler<'signUpUser'> = async (call) => {
  const account = accountOf(call, call.body.email);
  refuseGuessable(call.body.password, account.email);
  await call.throttle(budgetOf('mail', account.appId, account.email));
  const userId = await signUp(call.runtime.db, call.runtime.sealer, account, call.body.password);
  return { status: 200, body: { user_id: userId, email: account.email, email_verified: false, otp_sent: true } };
};

export const verifyUserEmail: Handler<'verifyUserEmail'> = async (call) => {
  const account = accountOf(call, call.body.email);
  const tried = budgetOf('code', account.appId, account.email);
  await call.throttle(tried);
  const { db, sealer, throttle } = call.runtime;
  const { userId, token, expiresAt } = await verifyEmail(db, sealer, account, call.body.code, call);
  await throttle.forgive([tried]);
  return {
    status: 200,
    body: {
      user_id: userId,
      email: account.email,
      email_verified: true,
      session_token: token,
      session_expires_at: expiresAt,
    },
    headers: { 'Cache-Control': 'no-store' },
  };
};

export const resendUserCode: Handler<'resendUserCode'> = async (call) => {
  const account = accountOf(call, call.body.email);
  await call.throttle(budgetOf('mail', account.appId, account.email));
  await renewCode(call.runtime.db, call.runtime.sealer, account);
  return { status: 200, body: { sent: true } };
};

export const requestPasswordReset: Handler<'requestPasswordReset'> = async (call) => {
  const account = accountOf(call, call.body.email);
  await call.throttle(budgetOf('mail', account.appId, account.email));
  await requestReset(call.runtime.db, call.runtime.sealer, account);
  return { status: 200, body: { sent: true } };
};

export const confirmPasswordReset: Handler<'confirmPasswordReset'> = async (call) => {
  const account = accountOf(call, call.body.email);
  const { token, new_password: password } = call.body;
  refuseGuessable(password, account.email);
  await call.throttle(budgetOf('code', account.appId, account.email, call.network));
  const userId = await confirmReset(call.runtime.db, account, { token, password }, call);
  await forgetTries(call, account, userId);
  return { status: 200, body: { reset: true } };
};

export const getCurrentUser: Handler<'getCurrentUser'> = async ({ principal }) => {
  const { userId, email, owner } = userOf(principal);
  return { status: 200, body: { user_id: userId, email, app_id: owner } };
};

const accountOf = ({ principal }: Pick<Call, 'principal'>, email: string): Account => ({
  appId: appOf(principal).owner,
  email: normalisedEmail(email),
});

function refuseGuessable(password: string, email: string): void {
  if (isGuessable(password, email)) throw new Refusal('V2_PASSWORD_GUESSABLE');
}
