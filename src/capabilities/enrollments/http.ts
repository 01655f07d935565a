import type { Handler } from '../../contract/handler.ts';
import type { components } from '../../contract/types.ts';
import type { Db } from '../../db/pool.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { OwnerId, WalletAddress } from '../../kernel/ids.ts';
import { cursorAt, listPage, placeOf } from '../../kernel/pages.ts';
import type { Sealer } from '../../kernel/seal.ts';
import type { Exvenue } from '../../venues/exchange/adapter/types.ts';
import { checkKey } from './check-key.ts';
import { type Enrollment, findEnrollment, listEnrollments, wasEnrolled } from './queries.ts';
import { revokeEnrollment, saveKey } from './store.ts';

type Deps = { db: Db; exvenue: Exvenue; sealer: Sealer };

/** Handles `GET /v1/sessions`: list enrollments. */
export const listSessions: Handler<'listSessions', Deps> = async ({ deps, principal, query }) => {
  const { owner } = principal;
  const isKnown = async (cursor: string) => {
    const place = placeOf(cursor);
    return place !== null && (await wasEnrolled(deps.db, owner, place.id));
  };
  const page = await listPage(query, { path: '/v1/sessions', cursorOf, isKnown }, ({ cursor, limit }) =>
    listEnrollments(deps.db, owner, cursor === null ? null : placeOf(cursor), limit),
  );
  return { ...page, body: page.body.map(sessionInfo) };
};

const cursorOf = ({ created_at: at, ex_wallet: id }: Enrollment) => cursorAt({ at, id });

/** Handles `POST /v1/sessions`: enroll the signing key of an exchange wallet. */
export const enrollSession: Handler<'enrollSession', Deps> = async ({ deps, principal, body, commit }) => {
  const key = await checkKey(deps, principal.owner, body);
  return commit(async (db) => {
    await saveKey(db, key);
    return { status: 200, body: await getSessionInfo(db, principal.owner, body.ex_wallet) };
  });
};

/** Handles `GET /v1/sessions/{ex_wallet}`: read an enrollment. */
export const getSession: Handler<'getSession', Deps> = async ({ deps, principal, path }) => ({
  status: 200,
  body: await getSessionInfo(deps.db, principal.owner, path.ex_wallet),
});

/** Handles `DELETE /v1/sessions/{ex_wallet}`: revoke an enrollment and wipe its key. */
export const revokeSession: Handler<'revokeSession', Deps> = ({ principal, path, commit }) =>
  commit(async (db) => {
    const revoked = await revokeEnrollment(db, principal.owner, path.ex_wallet.toLowerCase());
    if (!revoked) throw new ApiError('V1_SESSION_UNKNOWN');
    return { status: 204, body: undefined };
  });

async function getSessionInfo(db: Parameters<typeof findEnrollment>[0], owner: OwnerId, exWallet: WalletAddress) {
  const enrollment = await findEnrollment(db, owner, exWallet.toLowerCase());
  if (!enrollment) throw new ApiError('V1_SESSION_UNKNOWN');
  return sessionInfo(enrollment);
}

const sessionInfo = ({ signer, ...enrollment }: Enrollment): components['schemas']['SessionInfo'] => ({
  ...enrollment,
  agent_address: signer,
  is_agent: signer !== enrollment.ex_wallet,
});
