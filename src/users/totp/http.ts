import type { Call, Handler } from '../../edge/handler.ts';
import { type User, userOf } from '../../kernel/principal.ts';
import { totpBudget } from '../tries.ts';
import { confirmTotp, disableTotp, enrollTotp } from './intents.ts';

export const enrollUserTotp: Handler<'enrollUserTotp'> = async ({ runtime, principal }) => ({
  status: 200,
  body: await enrollTotp(runtime.db, runtime.sealer, userOf(principal)),
  headers: { 'Cache-Control': 'no-store' },
});

export const confirmUserTotp: Handler<'confirmUserTotp'> = async (call) => {
  await confirmTotp(call.runtime.db, call.runtime.sealer, await tryingUser(call), call.body.code);
  return { status: 200, body: { enabled: true } };
};

export const disableUserTotp: Handler<'disableUserTotp'> = async (call) => {
  await disableTotp(call.runtime.db, call.runtime.sealer, await tryingUser(call), call.body.code);
  return { status: 200, body: { enabled: false } };
};

/** The user of a call that tries a code: counted before it is compared. */
async function tryingUser({ principal, throttle }: Pick<Call, 'principal' | 'throttle'>): Promise<User> {
  const user = userOf(principal);
  await throttle(totpBudget(user.userId));
  return user;
}
