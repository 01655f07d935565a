import type { Db } from '../db/pool.ts';
import type { Handler } from '../edge/handler.ts';
import { userOf } from '../kernel/principal.ts';
import { signAgreement as sign } from './commands.ts';
import { findNewestSignature, listSignatures } from './queries.ts';

type Deps = { db: Db };

/** Handles `POST /v2/agreements/sign`: sign an agreement. */
export const signAgreement: Handler<'signAgreement', Deps> = ({ principal, body, header, address, commit }) =>
  commit(async (db) => {
    const { owner, userId } = userOf(principal);
    const signature = await sign(db, {
      app: owner,
      userId,
      version: body.agreement_version,
      name: body.signature_name,
      documentUrl: body.document_url ?? null,
      documentSha256: body.document_sha256?.toLowerCase() ?? null,
      address,
      userAgent: header['X-End-User-Agent'] ?? header['User-Agent'] ?? null,
    });
    const { id, place, previous_hash, row_hash, signed_at, agreement_version } = signature;
    const receipt = { id, place, previous_hash, row_hash };
    return { status: 200, body: { signed: true, signed_at, agreement_version, receipt } };
  });

/** Handles `GET /v2/agreements/status`: read the newest signature of the user. */
export const getAgreementStatus: Handler<'getAgreementStatus', Deps> = async ({ deps, principal }) => {
  const { owner, userId } = userOf(principal);
  const newest = await findNewestSignature(deps.db, owner, userId);
  const { signed_at = null, agreement_version = null } = newest ?? {};
  return { status: 200, body: { signed: newest !== null, signed_at, agreement_version } };
};

/** Handles `GET /v2/agreements/audits`: list every signature of the user. */
export const listAgreementAudits: Handler<'listAgreementAudits', Deps> = async ({ deps, principal }) => {
  const { owner, userId } = userOf(principal);
  return { status: 200, body: [...(await listSignatures(deps.db, owner, userId))] };
};
