import type { Db } from '../../db/pool.ts';
import type { Call, Handler } from '../../edge/handler.ts';
import { provenUserOf, type User } from '../../kernel/principal.ts';
import type { Sealer } from '../../kernel/seal.ts';
import { totpBudget } from '../attempts.ts';
import { confirmTotp, disableTotp, enrollTotp } from './commands.ts';

type Deps = { db: Db; sealer: Sealer };

/** Handles `POST /v2/auth/totp/enroll`: begin to enroll a user's authenticator. */
export const enrollUserTotp: Handler<'enrollUserTotp', Deps> = async ({ deps, principal }) => ({
  status: 200,
  body: await enrollTotp(deps.db, deps.sealer, provenUserOf(principal)),
});

/** Handles `POST /v2/auth/totp/confirm`: turn on two-factor authentication with a first code. */
export const confirmUserTotp: Handler<'confirmUserTotp', Deps> = async (call) => {
  await confirmTotp(call.deps.db, call.deps.sealer, await tryingUser(call), call.body.code);
  return { status: 200, body: { enabled: true } };
};

/** Handles `POST /v2/auth/totp/disable`: turn off two-factor authentication with a code. */
export const disableUserTotp: Handler<'disableUserTotp', Deps> = async (call) => {
  await disableTotp(call.deps.db, call.deps.sealer, await tryingUser(call), call.body.code);
  return { status: 200, body: { enabled: false } };
};

/** The user of a request with an authenticator code. The attempt is counted before the code is compared. */
async function tryingUser({ principal, throttle }: Pick<Call, 'principal' | 'throttle'>): Promise<User> {
  const user = provenUserOf(principal);
  await throttle(totpBudget(user.userId));
  return user;
}
