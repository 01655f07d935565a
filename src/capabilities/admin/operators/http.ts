import type { Config } from '../../../config.ts';
import type { Call, Handler } from '../../../contract/handler.ts';
import type { Db } from '../../../db/pool.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { listPage } from '../../../kernel/pages.ts';
import { hashPassword, isGuessable, operatorLane } from '../../../kernel/passwords.ts';
import { adminOf } from '../../../kernel/principal.ts';
import type { Sealer } from '../../../kernel/seal.ts';
import { approvedCommit } from '../approvals/commands.ts';
import { actorAs } from '../audit/actor.ts';
import * as commands from './commands.ts';
import { getOperator, isOperator, listOperators as listPageOf } from './queries.ts';

type Deps = { db: Db; sealer: Sealer; config: Pick<Config, 'PUBLIC_URL' | 'DUAL_CONTROL_CENTS'> };

/** Who acts, and why. */
function by(call: Pick<Call, 'principal' | 'address' | 'requestId'> & { body: { reason: string } }) {
  const { adminId } = adminOf(call.principal);
  return { actor: { ...actorAs(call, adminId), adminId }, why: call.body.reason };
}

/** The address of the console's page that accepts an invitation. The token stays in the browser: it is in the fragment. */
const linkOf =
  ({ config }: Deps): commands.Link =>
  (token) =>
    `${config.PUBLIC_URL}/admin#/invitation?token=${token}`;

/** Handles `GET /v2/admin/operators`: list operators. */
export const listOperators: Handler<'listOperators', Deps> = ({ deps, query }) =>
  listPage(
    query,
    { path: '/v2/admin/operators', cursorOf: ({ admin_id }) => admin_id, isKnown: (id) => isOperator(deps.db, id) },
    (page) => listPageOf(deps.db, page),
  );

/** Handles `POST /v2/admin/operators`: invite an operator. */
export const inviteOperator: Handler<'inviteOperator', Deps> = (call) => {
  const { email, role } = call.body;
  return approvedCommit(call, { subject: email })(async (db) => {
    const invited = { email, role, link: linkOf(call.deps) };
    const adminId = await commands.inviteOperator(db, call.deps.sealer, invited, by(call));
    return { status: 200, body: await getOperator(db, adminId) };
  });
};

/** Handles `PATCH /v2/admin/operators/{admin_id}`: give an operator another role. */
export const setOperatorRole: Handler<'setOperatorRole', Deps> = (call) => {
  const { path, body } = call;
  return approvedCommit(call, { subject: path.admin_id })(async (db) => {
    await commands.setOperatorRole(db, path.admin_id, body.role, by(call));
    return { status: 200, body: await getOperator(db, path.admin_id) };
  });
};

/** Handles `POST /v2/admin/operators/{admin_id}/disable`: disable an operator. */
export const disableOperator: Handler<'disableOperator', Deps> = (call) =>
  call.commit(async (db) => {
    await commands.setOperatorActive(db, call.path.admin_id, false, by(call));
    return { status: 200, body: await getOperator(db, call.path.admin_id) };
  });

/** Handles `POST /v2/admin/operators/{admin_id}/enable`: enable an operator again. */
export const enableOperator: Handler<'enableOperator', Deps> = (call) => {
  const { admin_id } = call.path;
  return approvedCommit(call, { subject: admin_id })(async (db) => {
    await commands.setOperatorActive(db, admin_id, true, by(call));
    return { status: 200, body: await getOperator(db, admin_id) };
  });
};

/** Handles `POST /v2/admin/operators/{admin_id}/end-sessions`: end an operator's sessions. */
export const endOperatorSessions: Handler<'endOperatorSessions', Deps> = (call) =>
  call.commit(async (db) => ({
    status: 200,
    body: { ended: await commands.endOperatorSessions(db, call.path.admin_id, by(call)) },
  }));

/** Handles `POST /v2/admin/operators/{admin_id}/reset-authenticator`: remove authenticator and password, and invite again. */
export const resetOperatorAuthenticator: Handler<'resetOperatorAuthenticator', Deps> = (call) => {
  const { admin_id } = call.path;
  return approvedCommit(call, { subject: admin_id })(async (db) => {
    await commands.resetOperator(db, call.deps.sealer, admin_id, linkOf(call.deps), by(call));
    return { status: 200, body: await getOperator(db, admin_id) };
  });
};

/** Handles `POST /v2/admin/invitations/accept`: set the password of an invited operator. */
export const acceptInvitation: Handler<'acceptInvitation', Deps> = async (call) => {
  const { token, password } = call.body;
  const email = await commands.findInvited(call.deps.db, token);
  if (email === null) throw new ApiError('V2_INVITATION_INVALID');
  if (isGuessable(password, email)) throw new ApiError('V2_PASSWORD_GUESSABLE');
  const hash = await hashPassword(password, operatorLane(null));
  return call.commit(async (db) => {
    await commands.acceptInvitation(db, { token, hash }, (adminId) => actorAs(call, adminId));
    return { status: 200, body: { accepted: true } };
  });
};
