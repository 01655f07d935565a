import type { Handler } from '../edge/handler.ts';
import { userOf } from '../kernel/principal.ts';
import { signAgreement as sign } from './intents.ts';
import { findNewestSignature, listSignatures } from './queries.ts';

export const signAgreement: Handler<'signAgreement'> = async ({ runtime, principal, body, header, address }) => {
  const { owner, userId } = userOf(principal);
  const signature = await sign(runtime.db, {
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
};

export const getAgreementStatus: Handler<'getAgreementStatus'> = async ({ runtime, principal }) => {
  const { owner, userId } = userOf(principal);
  const newest = await findNewestSignature(runtime.db, owner, userId);
  const { signed_at = null, agreement_version = null } = newest ?? {};
  return { status: 200, body: { signed: newest !== null, signed_at, agreement_version } };
};

export const listAgreementAudits: Handler<'listAgreementAudits'> = async ({ runtime, principal }) => {
  const { owner, userId } = userOf(principal);
  return { status: 200, body: [...(await listSignatures(runtime.db, owner, userId))] };
};
