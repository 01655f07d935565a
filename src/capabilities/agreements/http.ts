import type { Handler } from '../../contract/handler.ts';
import type { Db } from '../../db/pool.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { HeadSigner } from '../../kernel/head-keys.ts';
import { listPage } from '../../kernel/pages.ts';
import { userOf } from '../../kernel/principal.ts';
import { budgetOf } from '../../kernel/throttles.ts';
import { mailReceipt, signAgreement as sign } from './commands.ts';
import { findNewestSignature, hasSignature, listSignatures } from './queries.ts';

type Deps = { db: Db; heads: HeadSigner };

/** Handles `POST /v2/agreements/sign`: sign an agreement. */
export const signAgreement: Handler<'signAgreement', Deps> = async (call) => {
  const { deps, principal, body, header, address } = call;
  const { owner, userId } = userOf(principal);
  if (!VISIBLE.test(body.signature_name)) throw blankName();
  await call.throttle(budgetOf('signature', userId), budgetOf('signature_app', owner));
  return call.commit(async (db) => {
    const signature = await sign(db, {
      app: owner,
      userId,
      version: body.agreement_version.normalize('NFC'),
      name: body.signature_name.normalize('NFC'),
      documentUrl: body.document_url ?? null,
      documentSha256: body.document_sha256?.toLowerCase() ?? null,
      address,
      userAgent: header['X-End-User-Agent'] ?? header['User-Agent'] ?? null,
    });
    const { id, app_id, place, previous_hash, row_hash, signed_at, agreement_version } = signature;
    const receipt = { id, app_id, place, previous_hash, row_hash, ...deps.heads.sign(signature) };
    await mailReceipt(db, userId, { version: agreement_version, receipt });
    return { status: 200, body: { signed: true, signed_at, agreement_version, receipt } };
  });
};

/** A visible character. For a pattern of the contract, characters without a shape (such as U+200B, or the symbol U+2800) are not white space. */
const VISIBLE = /[^\s\u2800\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

const blankName = () =>
  new ApiError('INVALID_REQUEST', {
    effect: 'none',
    fields: [{ loc: ['body', 'signature_name'], msg: 'must not be blank', type: 'pattern' }],
  });

/** Handles `GET /v2/agreements/status`: read the newest signature of the user. */
export const getAgreementStatus: Handler<'getAgreementStatus', Deps> = async ({ deps, principal }) => {
  const { owner, userId } = userOf(principal);
  const newest = await findNewestSignature(deps.db, owner, userId);
  const { signed_at = null, agreement_version = null } = newest ?? {};
  return { status: 200, body: { signed: newest !== null, signed_at, agreement_version } };
};

/** Handles `GET /v2/agreements/audits`: list every signature of the user. */
export const listAgreementAudits: Handler<'listAgreementAudits', Deps> = async ({ deps, principal, query }) => {
  const { owner, userId } = userOf(principal);
  const isKnown = (id: string) => hasSignature(deps.db, owner, userId, id);
  return listPage(query, { path: '/v2/agreements/audits', cursorOf: ({ id }) => id, isKnown }, (page) =>
    listSignatures(deps.db, owner, userId, page),
  );
};

/** Serves `GET /.well-known/agreement-keys.json`: the public keys of receipts, as a JWK set (RFC 7517, section 5). */
export const getAgreementKeys: Handler<'getAgreementKeys', Pick<Deps, 'heads'>> = async ({ deps }) => ({
  status: 200,
  body: { keys: deps.heads.publicKeys },
});
