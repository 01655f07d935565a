import type { Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import type { Throttle } from '../../../db/throttles.ts';
import { adminOf } from '../../../kernel/principal.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { budgetOf } from '../../../kernel/throttles.ts';
import { actorOf } from '../audit/actor.ts';
import { confirmAdminTotp, enrollAdminTotp, releaseAdmin } from './commands.ts';

type Deps = { db: Db; sealer: Sealer; throttle: Throttle };

/** Handles `POST /v2/admin/totp/enroll`: begin to enroll an operator's authenticator. */
export const enrollAdminAuthenticator: Handler<'enrollAdminAuthenticator', Deps> = async (call) => {
  const admin = adminOf(call.principal);
  return call.commit(async (db) => {
    const body = await enrollAdminTotp(db, call.deps.sealer, admin, actorOf(call));
    return { status: 200, body };
  });
};

/** Handles `POST /v2/admin/totp/confirm`: confirm an operator's authenticator by its first code. */
export const confirmAdminAuthenticator: Handler<'confirmAdminAuthenticator', Deps> = async (call) => {
  const admin = adminOf(call.principal);
  await call.throttle(budgetOf('totp', 'admin', admin.adminId, 'confirm'));
  return call.commit(async (db) => {
    await confirmAdminTotp(db, call.deps.sealer, admin, call.body.code, actorOf(call));
    return { status: 200, body: { enabled: true } };
  });
};

/** Handles `POST /v2/admin/operators/{admin_id}/release`: restore an operator's attempts at the authenticator code. */
export const releaseOperator: Handler<'releaseOperator', Deps> = (call) =>
  call.commit(async (db) => {
    await releaseAdmin(db, call.path.admin_id, actorOf(call), call.body.reason);
    return { status: 200, body: { released: true } };
  });
