import type { components } from '../contract/types.ts';
import type { Handler } from '../edge/handler.ts';
import { Refusal } from '../kernel/refusals.ts';
import { enrollKey } from './intents.ts';
import { revokeEnrollment } from './outcomes.ts';
import { type Enrollment, findEnrollment, listEnrollments } from './queries.ts';

export const listSessions: Handler<'listSessions'> = async ({ runtime, principal }) => {
  const enrollments = await listEnrollments(runtime.db, principal.owner);
  return { status: 200, body: enrollments.map(sessionInfo) };
};

export const enrollSession: Handler<'enrollSession'> = async ({ runtime, principal, body }) => {
  await enrollKey({ db: runtime.db, exvenue: runtime.exvenue, sealer: runtime.sealer }, principal.owner, body);
  return { status: 200, body: await getSessionInfo(runtime.db, principal.owner, body.ex_wallet) };
};

export const getSession: Handler<'getSession'> = async ({ runtime, principal, path }) => ({
  status: 200,
  body: await getSessionInfo(runtime.db, principal.owner, path.ex_wallet),
});

export const revokeSession: Handler<'revokeSession'> = async ({ runtime, principal, path }) => {
  const revoked = await revokeEnrollment(runtime.db, principal.owner, path.ex_wallet.toLowerCase());
  if (!revoked) throw new Refusal('V1_SESSION_UNKNOWN');
  return { status: 204, body: undefined };
};

async function getSessionInfo(db: Parameters<typeof findEnrollment>[0], owner: string, exWallet: string) {
  const enrollment = await findEnrollment(db, owner, exWallet.toLowerCase());
  if (!enrollment) throw new Refusal('V1_SESSION_UNKNOWN');
  return sessionInfo(enrollment);
}

const sessionInfo = ({ signer, ...enrollment }: Enrollment): components['schemas']['SessionInfo'] => ({
  ...enrollment,
  agent_address: signer,
  is_agent: signer !== enrollment.ex_wallet,
  status: 'enrolled',
});
