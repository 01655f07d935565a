import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import type { Throttle } from '../../../db/throttles.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { digest } from '../../../kernel/ids.ts';
import { provenUserOf } from '../../../kernel/principal.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { budgetOf } from '../../../kernel/throttles.ts';
import { countCodeAttempt } from '../attempts.ts';
import { isKnownAddress } from '../queries.ts';
import { confirmTotp, disableTotp, enrollTotp } from './commands.ts';

type Deps = { db: Db; sealer: Sealer; throttle: Throttle };

/** Handles `POST /v2/auth/totp/enroll`: begin to enroll a user's authenticator. */
export const enrollUserTotp: Handler<'enrollUserTotp', Deps> = async ({ deps, principal, commit }) => {
  const user = provenUserOf(principal);
  return commit(async (db) => ({ status: 200, body: await enrollTotp(db, deps.sealer, user) }));
};

/** Handles `POST /v2/auth/totp/confirm`: turn on two-factor authentication with a first code. */
export const confirmUserTotp: Handler<'confirmUserTotp', Deps> = async (call) => {
  const user = provenUserOf(call.principal);
  await call.throttle(budgetOf('totp', user.userId, 'confirm'));
  return call.commit(async (db) => {
    await confirmTotp(db, call.deps.sealer, user, call.body.code);
    return { status: 200, body: { enabled: true } };
  });
};

/**
 * Handles `POST /v2/auth/totp/disable`: turn off two-factor authentication with a code. A stolen session
 * gives no more attempts than a log-in.
 */
export const disableUserTotp: Handler<'disableUserTotp', Deps> = async (call) => {
  const { deps, body, network } = call;
  const user = provenUserOf(call.principal);
  const isKnown = await isKnownAddress(deps.db, user.userId, digest(network));
  const onWrongCode = await countCodeAttempt(call, { userId: user.userId, isKnown, emailCode: body.email_code });
  const disable = call.commit(async (db) => {
    await disableTotp(db, deps.sealer, user, body.code);
    return { status: 200 as const, body: { enabled: false as const } };
  });
  return disable.catch(async (error) => {
    if (error instanceof ApiError && error.code === 'V2_MFA_INVALID') await onWrongCode();
    throw error;
  });
};
